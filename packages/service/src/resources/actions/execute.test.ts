import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { tableContents } from '../../testing/table-contents.ts';
import { daemonOf, keyOf, openInstanceServices } from '../instances/testing/instance-services.ts';
import { executionList } from './store.ts';

onBothEngines((engine) => {
  it('the listed actions are those that the template of the running revision declares', async () => {
    const { running, actions, principal } = await openInstanceServices(engine);
    const { id } = await running();
    const listed = await actions.list(principal, id);
    expect(listed.template_species).toBe('inkwell');
    expect(listed.actions.map(({ slug }) => slug)).toEqual(['db-dump', 'add-user', 'greet', 'ping', 'rebuild', 'wipe']);
    expect(listed.actions[0]).toEqual({
      name: 'Dump database',
      slug: 'db-dump',
      description: 'Writes a logical dump.',
      type: 'exec',
      timeout: '300s',
      dangerous: false,
      params: [{ name: 'schema_only', type: 'boolean', required: false, default: false }],
    });
    expect(listed.backup).toEqual({
      strategy: 'both',
      volumes: [{ name: 'uploads', critical: true }],
      dump_action: 'db-dump',
      schedule_hint: 'daily',
    });
    await expect(actions.list(keyOf('acc_other'), id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('an action is sent with its arguments substituted, to the container of its component', async () => {
    const { running, execute, connect, actions, serverId, execution, principal } = await openInstanceServices(engine);
    const { id, containerName } = await running();
    const ordered = await execute(id, 'db-dump', { schema_only: true });
    expect(ordered).toMatchObject({
      status: 'pending',
      slug: 'db-dump',
      name: 'Dump database',
      params: { schema_only: true },
      created_by: 'key_1',
      output: null,
      cancelling: false,
    });
    const line = await connect([]);
    await actions.dispatch(serverId, line);
    expect(line.sent).toEqual([
      {
        type: 'action_request',
        execution_id: ordered.id,
        instance_id: id,
        container_name: `${containerName}-db`,
        action: {
          slug: 'db-dump',
          type: 'exec',
          command: ['pg_dump', '-U', 'inkwell', '--schema-only', 'inkwell'],
          timeout: '300s',
          env: {},
        },
        params: { schema_only: true },
      },
    ]);
    expect(await execution(ordered.id)).toMatchObject({ status: 'sent', sent_at: expect.any(String) });
    await execute(id);
    await actions.dispatch(serverId, line);
    expect(line.sent[1]).toMatchObject({ action: { command: ['pg_dump', '-U', 'inkwell', 'inkwell'] } });
    const { data } = await actions.history(principal, { instanceId: id }, {});
    expect(data).toHaveLength(2);
  });

  it('a list reads neither outputs nor requests, which can be hundreds of megabytes for a page', async () => {
    const { running, execute, storage, principal } = await openInstanceServices(engine);
    const { id } = await running();
    const ordered = await execute(id);
    const [row] = await executionList(storage.reader, { accountId: principal.accountId }).rows(1, 0);
    expect(row).toMatchObject({ id: ordered.id });
    expect(row).not.toHaveProperty('output');
    expect(row).not.toHaveProperty('request');
  });

  describe('the params of an action', () => {
    it('are validated against their declaration, by name', async () => {
      const { running, execute, storage } = await openInstanceServices(engine);
      const { id } = await running();
      const good = { name: 'ada', password: 'lovelace-1815' };
      const before = await tableContents(storage.reader);
      const wrong: [Record<string, unknown>, string][] = [
        [{ password: good.password }, 'params.name'],
        [{ name: 'ada' }, 'params.password'],
        [{ ...good, level: 'high' }, 'params.level'],
        [{ ...good, surprise: 1 }, 'params.surprise'],
        [{ ...good, constructor: 1 }, 'params.constructor'],
      ];
      for (const [params, field] of wrong)
        await expect(execute(id, 'add-user', params)).rejects.toMatchObject({
          code: 'VALIDATION_ERROR',
          message: expect.stringContaining(`${field}:`),
          details: { field },
        });
      expect(await tableContents(storage.reader)).toEqual(before);
      expect((await execute(id, 'add-user', good)).params).toEqual({ name: 'ada', level: 3 });
    });

    it('passwords reach only the daemon', async () => {
      const { running, execute, connect, actions, serverId, storage, execution } = await openInstanceServices(engine);
      const { id } = await running();
      const password = 'lovelace-1815';
      const ordered = await execute(id, 'add-user', { name: 'ada', password });
      const line = await connect();
      await actions.dispatch(serverId, line);
      expect(line.sent[0]).toMatchObject({
        action: { command: ['inkwell', 'useradd', 'ada', `--password=${password}`, '--level=3'] },
        params: { name: 'ada', password, level: 3 },
      });
      await actions.failed(serverId, {
        execution_id: ordered.id,
        output: `useradd ada --password=${password}`,
        error: `exit 1 after ${password}`,
        exit_code: 1,
      });
      expect(await execution(ordered.id)).toMatchObject({ status: 'failed', exit_code: 1, params: { name: 'ada' } });
      expect(JSON.stringify(await tableContents(storage.reader))).not.toContain(password);
    });
  });

  it('a dangerous action needs its own permission', async () => {
    const { running, execute, principal } = await openInstanceServices(engine);
    const { id } = await running();
    const by = keyOf(principal.accountId, ['actions:execute']);
    await expect(execute(id, 'wipe', {}, by)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      details: { permission: 'actions:dangerous' },
    });
    const bold = keyOf(principal.accountId, ['actions:execute', 'actions:dangerous']);
    expect((await execute(id, 'wipe', {}, bold)).status).toBe('pending');
  });

  it('an execution needs a deployed, unreleased instance and a declared action', async () => {
    const { running, pending, execute, storage, instances, principal } = await openInstanceServices(engine);
    const { id } = await running();
    for (const slug of ['no-such', 'hortus.stop', 'constructor'])
      await expect(execute(id, slug)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const outsider = { ...principal, accountId: 'acc_other' };
    await expect(execute(id, 'db-dump', {}, outsider)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(execute((await pending()).id)).rejects.toMatchObject({ details: { status: 'pending' } });
    await storage.write((tx) => instances.settled(tx, id, 'hortus.release', null));
    await expect(execute(id)).rejects.toMatchObject({ details: { status: 'released' } });
  });

  it('an execution can be read and reported only by its account and its server', async () => {
    const { running, execute, actions, principal, serverId, addServer, put } = await openInstanceServices(engine);
    const { id } = await running();
    const { id: execution } = await execute(id);
    const { accountId } = principal;
    expect((await actions.read(daemonOf(accountId, serverId), execution)).id).toBe(execution);
    for (const outsider of [keyOf('acc_other'), daemonOf(accountId, await addServer())]) {
      await expect(actions.read(outsider, execution)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(put(execution, { status: 'failed' }, outsider)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('executions are listed newest first, by slug and status, without outputs', async () => {
    const { running, execute, actions, principal, connect, serverId } = await openInstanceServices(engine);
    const { id } = await running();
    const [dump, wipe] = [await execute(id), await execute(id, 'wipe')];
    await actions.dispatch(serverId, await connect());
    await actions.completed(serverId, { execution_id: dump.id, exit_code: 0, output: 'done' });
    const find = async (filter: object) =>
      (await actions.history(principal, { instanceId: id, ...filter }, {})).data.map((item) => [item.id, item.output]);
    expect(await find({})).toEqual([
      [wipe.id, null],
      [dump.id, null],
    ]);
    expect(await find({ slug: 'wipe' })).toEqual([[wipe.id, null]]);
    expect(await find({ status: 'completed' })).toEqual([[dump.id, null]]);
    expect((await actions.read(principal, dump.id)).output).toBe('done');
  });
});
