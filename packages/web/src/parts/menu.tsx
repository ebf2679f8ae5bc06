import * as Radix from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';

/** A menu of a button. Not modal: the modal one injects a style element, which the Content-Security-Policy refuses. */
export function Menu({ button, children }: { button: ReactNode; children: ReactNode }) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{button}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="menu" align="end" sideOffset={6} collisionPadding={8}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export function MenuItem({
  onSelect,
  danger,
  children,
}: {
  onSelect: () => void;
  danger?: boolean;
  children: ReactNode;
}) {
  return (
    <Radix.Item className={danger ? 'text-bad-ink' : ''} onSelect={onSelect}>
      {children}
    </Radix.Item>
  );
}

/** One choice among several; the chosen one has a mark. */
export function MenuChoice<Value extends string>({
  value,
  values,
  onChoose,
}: {
  value: Value;
  values: readonly { readonly value: Value; readonly label: string }[];
  onChoose: (value: Value) => void;
}) {
  return (
    <Radix.RadioGroup value={value} onValueChange={(chosen) => onChoose(chosen as Value)}>
      {values.map(({ value: item, label }) => (
        <Radix.RadioItem key={item} value={item}>
          <span className="w-3" aria-hidden="true">
            {item === value ? '✓' : ''}
          </span>
          {label}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}
