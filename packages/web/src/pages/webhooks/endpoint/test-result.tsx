import type { WebhookTest } from '@hortus/contract/resources/webhooks';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { indented, OutputText } from '../../../parts/output-text.tsx';
import { Status } from '../../../parts/status.tsx';

/** What was sent in a test, and what the receiver answered. All of it is text, whatever it contains. */
export function TestResult({ host, result, onClose }: { host: string; result: WebhookTest; onClose: () => void }) {
  const { delivered, response_code, reply, error, duration_ms, body } = result;
  return (
    <Dialog title={`Test of ${host}`} onClose={onClose}>
      <h2>Test of {host}</h2>
      <p className="mb-4">
        <Status state={delivered ? 'delivered' : 'failed'} tone={delivered ? 'ok' : 'bad'}>
          {delivered ? `Accepted with ${response_code} in ${duration_ms} ms` : `Not delivered: ${error}`}
        </Status>
      </p>
      <h3 className="mb-2">Sent</h3>
      <OutputText label="Sent" text={indented(body)} />
      <h3 className="mt-4 mb-2">Answered</h3>
      {reply ? (
        <OutputText label="Answered" text={indented(reply)} />
      ) : (
        <p className="text-ink-3">{response_code === null ? 'Nothing.' : 'An empty body.'}</p>
      )}
      <div className="dialog-foot">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
