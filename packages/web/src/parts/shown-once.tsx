import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Copied } from './copy.tsx';
import { Dialog } from './dialog.tsx';

/**
 * A secret that is shown once, in a dialog that only its button closes: a stray click or key must not lose it.
 * `children` say what it is for.
 */
export function ShownOnce({
  title,
  secret,
  label,
  onStored,
  children,
}: {
  title: string;
  secret: string;
  /** Of the copy button: "Copy key". */
  label: string;
  onStored: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={() => {}}>
      <h2>{title}</h2>
      <div className="mb-4 text-ink-2">{children}</div>
      <Copied text={secret} label={label} />
      <div className="dialog-foot">
        <Button kind="primary" onClick={onStored}>
          I have stored it
        </Button>
      </div>
    </Dialog>
  );
}
