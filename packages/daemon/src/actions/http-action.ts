import { type IncomingMessage, request } from 'node:http';
import { guardedBy } from '@hortus/client/guard';
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
  return new Promise((resolve, reject) => {
    const { port, method, path, headers } = http;
    const outgoing = request({ host: address, port, method, path, headers, agent: false });
    // Begun after the request, which throws if its path or a header cannot be sent.
    const limit = setTimeout(() => outgoing.destroy(new Error('late')), action.timeout_ms);
    const settle = (outcome: ActionOutcome) => {
      clearTimeout(limit);
      resolve(outcome);
    };
    const broken = (error: Error) =>
      settle(
        error.message === 'late'
          ? failure(`The component did not answer within ${action.timeout_ms / 1000} s.`, 'timeout')
          : failure(`The component cannot be called: ${error.message}.`),
      );
    const answered = (answer: IncomingMessage) => {
      const end = () => {
        const status = answer.statusCode ?? 0;
        const expected = http.expect === undefined ? status >= 200 && status < 300 : status === http.expect;
        const common = { exit_code: null, output: String(output), output_truncated: output.truncated };
        if (expected) settle({ status: 'completed', ...common, outcome: 'known' });
        else settle({ status: 'failed', ...common, error: `The component answered ${status}.`, outcome: 'known' });
      };
      const add = (chunk: Buffer) => output.add(chunk);
      answer.on('data', guardedBy(reject, add));
      answer.on('error', guardedBy(reject, broken));
      answer.on('end', guardedBy(reject, end));
    };
    outgoing.on('response', guardedBy(reject, answered));
    outgoing.on('error', guardedBy(reject, broken));
    outgoing.end(http.body);
  });
}
