import { until } from '@hortus/testkit/until';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../config/config.ts';
import { insertUser } from '../../identity/store.ts';
import { newId } from '../../records/ids.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type Caller, insertKeyRow, type RunningService, startApp } from '../../testing/running-service.ts';
import { type Behaviour, piece, saying, startModelServer } from './testing/model-server.ts';

const question = 'Which template is a blog, and what does it ask for?';

onBothEngines((engine) => {
  const ask = (caller: Pick<Caller, 'request'>, text = question, options = {}) =>
    caller.request('POST', '/copilot/ask', { body: { question: text }, ...options });
  const usage = async (caller: Caller) => (await caller.client.call('copilot.usage')).data;

  describe('the assistant without a model', () => {
    let service: RunningService;
    beforeEach(async () => {
      service = await startApp(engine, { assistantLimits: { free: 1, pro: 2, enterprise: 4 } });
    });

    async function addUser(): Promise<string> {
      const { database: tx, accountId: account_id } = service;
      const id = newId('user');
      const times = { created_at: tx.now, updated_at: tx.now };
      const row = { id, account_id, email: `${id}@example.org`, password_hash: '-', role: 'member', admin: 0 } as const;
      await insertUser(tx, { ...row, ...times });
      return id;
    }

    it('answers from the catalog and the documentation, and names the sources', async () => {
      const { data } = (await ask(service)).json;
      expect(data).toMatchObject({ found: true, model: null, usage: { questions: 1, limit: 4, remaining: 3 } });
      expect(data.sources[0]).toMatchObject({ type: 'template', reference: 'inkwell' });
      expect(data.answer).toContain('Inkwell');
      expect(data.answer).toContain('[1: inkwell]');
      const about = (await ask(service, 'How do I rotate the master key of the vault?')).json.data;
      expect(about.sources.map(({ type }: { type: string }) => type)).toContain('documentation');
      expect(about.answer.toLowerCase()).toContain('master key');
    });

    it('says that it found nothing', async () => {
      const { data } = (await ask(service, 'zeppelin hovercraft eels')).json;
      expect(data).toMatchObject({ found: false, sources: [], answer: expect.stringContaining('found nothing') });
    });

    it('counts per user, durably, up to the limit of the plan', async () => {
      expect(await usage(service)).toMatchObject({ questions: 0, limit: 4, remaining: 4, prompt_tokens: 0 });
      const responses = await Promise.all(Array.from({ length: 7 }, () => ask(service)));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429, 429, 429]);
      const refused = responses.find(({ status }) => status === 429);
      expect(refused?.json.error).toMatchObject({
        code: 'RATE_LIMITED',
        details: { limit: 4, reason: 'assistant_limit' },
      });
      const seconds = Number(refused?.headers.get('retry-after'));
      const { resets_at, ...rest } = await usage(service);
      expect(rest).toMatchObject({ questions: 4, remaining: 0 });
      expect(Math.abs(Date.parse(resets_at) - Date.now() - seconds * 1000)).toBeLessThan(60_000);
      // Another account, and another user of the same account, have their own allowance.
      const neighbour = await service.addAccount();
      expect((await ask(neighbour)).json.data.usage).toMatchObject({ questions: 1, limit: 2 });
      const created_by = await addUser();
      const key = await insertKeyRow(service.database, { account_id: service.accountId, created_by });
      expect((await service.request('GET', '/copilot/usage', { key })).json.data.questions).toBe(0);
      expect((await ask(service, question, { key })).json.data.usage.questions).toBe(1);
    });

    it('streams on request, and does not store the question', async () => {
      const words = 'blog-of-my-secret-plans';
      const reply = await ask(service, `Is there a blog for ${words}?`, { headers: { accept: 'text/event-stream' } });
      expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      const events = eventsOf(reply.json);
      expect(events.map(({ event }) => event)).toEqual(['delta', 'done']);
      expect(events[1]?.data.data.answer).toBe(events[0]?.data.text);
      const rows = await service.database.db.selectFrom('assistant_usage').selectAll().execute();
      const written = await service.database.db.selectFrom('events').selectAll().execute();
      expect(JSON.stringify([rows, written])).not.toContain(words);
    });

    it('refuses streaming requests with the usual error response', async () => {
      const headers = { accept: 'text/event-stream' };
      expectRefusal(
        await service.request('POST', '/copilot/ask', { body: {}, headers }),
        'VALIDATION_ERROR',
        'question',
      );
      expectRefusal(await ask(service, question, { headers, key: null }), 'UNAUTHORIZED');
    });
  });

  describe('the assistant with a model', () => {
    async function withModel(behave: Behaviour, overrides: Partial<Config> = {}) {
      const model = await startModelServer(behave);
      engine.afterwards(() => model.stop());
      const settings = { assistantUrl: model.url, assistantKey: 'sk-of-the-model', assistantModel: 'small-1' };
      return { model, service: await startApp(engine, { ...settings, ...overrides }) };
    }

    it('sends it only public passages, removes Hortus keys, and counts its tokens', async () => {
      const { model, service } = await withModel(saying('Inkwell is a blög', ' [1].'));
      const { data } = (await ask(service, `My key is ${service.key}. ${question}`)).json;
      expect(data).toMatchObject({ answer: 'Inkwell is a blög [1].', model: 'small-1', found: true });
      expect(data.sources.map(({ reference }: { reference: string }) => reference)).toContain('inkwell');
      expect(model.asked[0]).toMatchObject({
        path: '/v1/chat/completions',
        authorization: 'Bearer sk-of-the-model',
        body: { model: 'small-1', stream: true, messages: [{ role: 'system' }, { role: 'user' }] },
      });
      const sent = JSON.stringify(model.asked[0]?.body);
      expect(sent).toContain('Inkwell');
      expect(sent).not.toContain(service.key);
      expect(await usage(service)).toMatchObject({ questions: 1, prompt_tokens: 120, answer_tokens: 30 });
    });

    it('streams each piece as it arrives', async () => {
      let goOn = () => {};
      const { service } = await withModel(async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(piece('first '));
        await new Promise<void>((done) => {
          goOn = done;
        });
        response.end(`${piece('second')}data: [DONE]\n\n`);
      });
      const response = await fetch(`${service.base}/copilot/ask`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.key}`,
          'content-type': 'application/json',
          accept: 'text/event-stream',
        },
        body: JSON.stringify({ question }),
      });
      const decoder = new TextDecoder();
      let text = '';
      for await (const bytes of response.body ?? []) {
        text += decoder.decode(bytes, { stream: true });
        // The model sends the second piece only after the first has arrived here.
        if (text.includes('first ')) goOn();
      }
      const events = eventsOf(text);
      expect(events.map(({ event }) => event)).toEqual(['delta', 'delta', 'done']);
      expect(events.at(-1)?.data.data.answer).toBe('first second');
    });

    it.each<[string, Behaviour]>([
      ['refuses', (response) => void response.writeHead(401).end('{"error":{"message":"bad key sk-of-the-model"}}')],
      ['answers with an error', (response) => void response.writeHead(500).end('<html>')],
      ['returns an empty answer', saying()],
      ['returns invalid data', (response) => void response.writeHead(200).end('data: {nonsense\n\n')],
      ['closes the connection', (response) => void response.destroy()],
      ['redirects', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
    ])('answers from the index when it %s', async (_, behave) => {
      const { service } = await withModel(behave);
      const { status, json } = await ask(service);
      expect(status).toBe(200);
      expect(json.data).toMatchObject({ model: null, found: true, answer: expect.stringContaining('Inkwell') });
      expect(JSON.stringify(json)).not.toContain('sk-of-the-model');
    });

    it('reports an answer that stopped in the middle', async () => {
      const { service } = await withModel((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(piece('half of'), () => response.destroy());
      });
      expectRefusal(await ask(service), 'SERVER_ERROR');
      const streamed = await ask(service, question, { headers: { accept: 'text/event-stream' } });
      const events = eventsOf(streamed.json);
      expect(events.map(({ event }) => event)).toEqual(['delta', 'error']);
      expect(events[1]?.data).toMatchObject({ success: false, error: { code: 'SERVER_ERROR' } });
    });

    it('ends the model request when the client disconnects', async () => {
      const { model, service } = await withModel((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(piece('and so on '));
      });
      const leaving = new AbortController();
      const asked = fetch(`${service.base}/copilot/ask`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ question }),
        signal: leaving.signal,
      }).catch(() => undefined);
      await until(() => model.asked.length === 1, { describe: 'the question' });
      leaving.abort();
      await asked;
      await until(() => model.hungUp === 1, { describe: 'the end of the conversation with the model' });
    });
  });
});

interface Reported {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  readonly data: any;
}

const eventsOf = (text: string): Reported[] =>
  [...text.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].map(([, event = '', data = '']) => ({
    event,
    data: JSON.parse(data),
  }));
