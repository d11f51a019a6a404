// Buttons, and keys as they are printed on a keyboard.
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** One primary button on a page. */
  readonly look?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly size?: 'small';
  readonly icon?: IconName;
  readonly children?: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ look = 'plain', size, icon, children, className = '', ...rest }: ButtonProps) {
  const classes = ['button', look, size ?? '', children === undefined ? 'only-icon' : '', className];
  return (
    <button type="button" {...rest} className={classes.filter((name) => name !== '').join(' ')}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A key as it is printed on a keyboard. */
export function Key({ children }: { readonly children: string }) {
  return <kbd className="key">{children}</kbd>;
}
