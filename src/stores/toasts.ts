/** What just happened and can be taken back: at most three at a time, newest last. Errors are banners, never toasts. */
import { create } from 'zustand';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo?: (() => void) | undefined;
}
interface ToastState {
  readonly toasts: readonly Toast[];
  show(text: string, undo?: () => void): void;
  close(id: number): void;
}

let next = 1;
export const useToasts = create<ToastState>()((set) => ({
  toasts: [],
  show: (text, undo) => set(({ toasts }) => ({ toasts: [...toasts.slice(-2), { id: next++, text, undo }] })),
  close: (id) => set(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) })),
}));
