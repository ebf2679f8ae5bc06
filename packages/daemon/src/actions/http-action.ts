import { type IncomingMessage, request } from 'node:http';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import type { ManifestAction } from '@hortus/contract/template/manifest';
import type { Callee } from '../instances/ways.ts';
import { type ActionOutcome, failure } from '../journal/action.ts';
import { BoundedOutput } from './bounded-output.ts';

/** Bytes of a response that are read at all; only its beginning and end are kept. */
const MAX_READ = 16 * 1024 * 1024;

/** Calls a component; follows no redirects and never retries. */
export function callComponent(
  action: ManifestAction,
  callee: Callee | undefined,
  outputLimit: number,
): Promise<ActionOutcome> {
  const { http } = action;
  if (http === undefined || !callee) return Promise.resolve(failure('The component has no address to call.'));
  const output = new BoundedOutput(outputLimit);
  return new Promise((resolve, reject) => {
    const { port, method, path, headers } = http;
    const outgoing = request({ ...callee, port, method, path, headers, agent: false });
    // Started after the request, which throws for an invalid path or header.
    const limit = setTimeout(() => outgoing.destroy(new Error('late')), action.timeout_ms);
    const settle = (outcome: ActionOutcome) => {
      clearTimeout(limit);
      resolve(outcome);
    };
    const broken = (error: Error) =>
      settle(
        error.message === 'late'
          ? failure(`The component did not respond within ${action.timeout_ms / 1000} s.`, 'timeout')
          : failure(`The component could not be called: ${error.message}.`),
      );
    const onResponse = (response: IncomingMessage) => {
      const end = () => {
        const status = response.statusCode ?? 0;
        const expected = http.expect === undefined ? status >= 200 && status < 300 : status === http.expect;
        const common = { exit_code: null, output: String(output), output_truncated: output.truncated };
        if (expected) settle({ status: 'completed', ...common, outcome: 'known' });
        else
          settle({ status: 'failed', ...common, error: `The component returned status ${status}.`, outcome: 'known' });
      };
      let read = 0;
      const add = (chunk: Buffer) => {
        output.add(chunk);
        read += chunk.length;
        if (read <= MAX_READ) return;
        // The status is known; a response without an end must not occupy the daemon until the timeout.
        end();
        outgoing.destroy();
      };
      response.on('data', guardedBy(reject, add));
      response.on('error', guardedBy(reject, broken));
      response.on('end', guardedBy(reject, end));
    };
    outgoing.on('response', guardedBy(reject, onResponse));
    outgoing.on('error', guardedBy(reject, broken));
    outgoing.end(http.body);
  });
}
