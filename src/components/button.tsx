/** The one button, in its kinds, and the square one with an icon whose tooltip shows name and shortcut. */
import type { LucideIcon } from 'lucide-react';
import { Tooltip } from 'radix-ui';
import { type ComponentPropsWithRef, createContext, type ReactElement, type ReactNode, useContext } from 'react';

export interface ButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'disabled'> {
  readonly kind?: 'outlined' | 'filled' | 'quiet';
  readonly size?: 'normal' | 'small';
  readonly icon?: LucideIcon;
  /** The key that does the same. */
  readonly shortcut?: string | undefined;
  /** Why it cannot be pressed now; it stays readable and focusable. */
  readonly unavailable?: string | undefined;
}

export function Button({
  kind = 'outlined',
  size = 'normal',
  icon: Icon,
  shortcut,
  unavailable,
  children,
  className,
  onClick,
  ...rest
}: ButtonProps) {
  const button = (
    <button
      type="button"
      className={['button', kind, size, className].filter(Boolean).join(' ')}
      aria-disabled={unavailable === undefined ? undefined : true}
      onClick={unavailable === undefined ? onClick : (event) => event.preventDefault()}
      {...rest}
    >
      {Icon && <Icon size={16} strokeWidth={1.9} aria-hidden />}
      {children}
      {shortcut !== undefined && <kbd aria-hidden>{shortcut}</kbd>}
    </button>
  );
  return unavailable === undefined ? button : <WithTooltip text={unavailable}>{button}</WithTooltip>;
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'aria-label'> {
  readonly icon: LucideIcon;
  readonly name: string;
}

export function IconButton({
  name,
  icon: Icon,
  kind = 'quiet',
  size = 'normal',
  shortcut,
  unavailable,
  className,
  onClick,
  ...rest
}: IconButtonProps) {
  return (
    <WithTooltip text={unavailable ?? name} shortcut={unavailable === undefined ? shortcut : undefined}>
      <button
        type="button"
        aria-label={name}
        className={['button', 'icon', kind, size, className].filter(Boolean).join(' ')}
        aria-disabled={unavailable === undefined ? undefined : true}
        onClick={unavailable === undefined ? onClick : (event) => event.preventDefault()}
        {...rest}
      >
        <Icon size={16} strokeWidth={1.75} aria-hidden />
      </button>
    </WithTooltip>
  );
}

/** Where tooltips and menus are put: inside the page's main landmark, so that they are part of the page for everyone. */
export const FloatingLayer = createContext<HTMLElement | null>(null);

export function WithTooltip({
  text,
  shortcut,
  children,
}: {
  text: ReactNode;
  shortcut?: string | undefined;
  children: ReactElement;
}) {
  const layer = useContext(FloatingLayer);
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal container={layer}>
        <Tooltip.Content className="tooltip" sideOffset={6} collisionPadding={8}>
          {text}
          {shortcut !== undefined && <kbd>{shortcut}</kbd>}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
