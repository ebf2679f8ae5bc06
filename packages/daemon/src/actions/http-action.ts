import { request } from 'node:http';
import type { ManifestAction } from '@hortus/contract/template/manifest';
import type { ContainerFacts } from '../engine/container-facts.ts';
import { type ActionOutcome, failure } from './action.ts';
import { BoundedOutput } from './bounded-output.ts';

/** A call to a component by its address in the instance's network; nothing is followed, nothing is tried twice. */
export function callComponent(
  action: ManifestAction,
  container: ContainerFacts,
  outputLimit: number,
): Promise<ActionOutcome> {
  const { http } = action;
  const address = container.hostNetwork ? '127.0.0.1' : container.networks.find((network) => network.address)?.address;
  if (http === undefined || !address) return Promise.resolve(failure('The component has no address to call.'));
  const output = new BoundedOutput(outputLimit);
  return new Promise((resolve) => {
    const late = () => outgoing.destroy(new Error('late'));
    const limit = setTimeout(late, action.timeout_ms);
    const settle = (outcome: ActionOutcome) => {
      clearTimeout(limit);
      resolve(outcome);
    };
    const outgoing = request(
      { host: address, port: http.port, method: http.method, path: http.path, headers: http.headers, agent: false },
      (answer) => {
        answer.on('data', (chunk: Buffer) => output.add(chunk));
        answer.on('error', (error) => settle(broken(error)));
        answer.on('end', () => {
          const status = answer.statusCode ?? 0;
          const expected = http.expect === undefined ? status >= 200 && status < 300 : status === http.expect;
          const common = { exit_code: null, output: String(output), output_truncated: output.truncated };
          if (expected) settle({ status: 'completed', ...common, outcome: 'known' });
          else settle({ status: 'failed', ...common, error: `The component answered ${status}.`, outcome: 'known' });
        });
      },
    );
    const broken = (error: Error) =>
      error.message === 'late'
        ? failure(`The component did not answer within ${action.timeout_ms / 1000} s.`, 'timeout')
        : failure(`The component cannot be called: ${error.message}.`);
    outgoing.on('error', (error) => settle(broken(error)));
    outgoing.end(http.body);
  });
}
