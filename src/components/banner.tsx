/** What happened, why (with the number), which setting, and one or two ways out. It stays until solved or dismissed. */
import { CircleAlert, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

const ICONS: Record<BannerTone, LucideIcon> = { alarm: CircleAlert, warn: TriangleAlert, info: Info };
export type BannerTone = 'alarm' | 'warn' | 'info';

export interface BannerProps {
  readonly tone: BannerTone;
  readonly what: string;
  readonly children?: ReactNode;
  /** Buttons. */
  readonly ways?: ReactNode;
}

export function Banner({ tone, what, children, ways }: BannerProps) {
  const Icon = ICONS[tone];
  return (
    <section className={`banner ${tone}`} role={tone === 'alarm' ? 'alert' : 'status'}>
      <Icon size={20} strokeWidth={1.75} aria-hidden />
      <div>
        <b>{what}</b> {children}
      </div>
      {ways !== undefined && <div className="ways">{ways}</div>}
    </section>
  );
}
