import { expect, it } from 'vitest';
import { askModel, ModelFailure } from './model.ts';
import { startModelServer } from './testing/model-server.ts';

it('a model that does not respond times out, before and during an answer', async () => {
  const model = await startModelServer(() => undefined);
  const ask = (timeoutMs: number) => {
    const reported: string[] = [];
    return askModel({ url: model.url, key: undefined, model: 'm', timeoutMs }, [], {
      notify: (text) => reported.push(text),
      signal: new AbortController().signal,
    }).then(
      () => expect.unreachable(),
      (error) => ({ error, eventsOf: reported }),
    );
  };
  const silent = await ask(50);
  expect(silent.error).toBeInstanceOf(ModelFailure);
  expect(silent.error).toMatchObject({ begun: false, message: expect.stringContaining('in time') });
  model.now((response) => {
    response.writeHead(200);
    response.write('data: {"choices":[{"delta":{"content":"well"}}]}\n\n');
  });
  // Long enough for the start of an answer on a busy machine.
  expect(await ask(2_000)).toMatchObject({ eventsOf: ['well'], error: { begun: true } });
  expect(model.asked[0]?.authorization).toBeUndefined();
  await model.stop();
});
