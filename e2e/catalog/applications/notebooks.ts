import { expect } from 'vitest';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { deploySpecies } from '../deployed-species.ts';
import { survivesLoss } from '../loss.ts';
import { upgrades } from '../upgrade.ts';
import { Visitor } from '../visitor.ts';

export function notebooks(catalog: Catalog): void {
  catalogTest('Jupyter runs notebooks and keeps them after a loss and an upgrade', { timeout: 600_000 }, async () => {
    const deployed = await deploySpecies(catalog(), 'jupyter', { WEB_HOSTNAME: 'notebooks.example.org' });
    const visitor = new Visitor(deployed);
    expect((await visitor.get('/api/contents')).status).toBe(403);
    const authorization = `token ${await deployed.secret('TOKEN')}`;
    const ask = async (method: string, path: string, body: object) => {
      const response = await visitor.send(method, path, JSON.stringify(body), { authorization });
      expect(response.status, `${path}: ${response.text}`).toBeLessThan(300);
      return response.text;
    };
    const code = { cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source: 'print(6 * 7)' };
    const kernelspec = { name: 'python3', display_name: 'Python 3', language: 'python' };
    const content = { cells: [code], metadata: { kernelspec }, nbformat: 4, nbformat_minor: 4 };
    await ask('PUT', '/api/contents/beds.ipynb', { type: 'notebook', format: 'json', content });
    await deployed.say('jupyter', 'nbconvert', '--to', 'notebook', '--execute', '--inplace', 'work/beds.ipynb');
    const read = async () => {
      const { text } = await visitor.get('/api/contents/beds.ipynb', { authorization });
      return JSON.stringify(JSON.parse(text).content?.cells.map((cell: { outputs: object[] }) => cell.outputs));
    };
    expect(await read()).toContain('"text":"42\\n"');
    const change = async () => {
      await visitor.send('DELETE', '/api/contents/beds.ipynb', '', { authorization });
      expect(await read()).toBeUndefined();
    };
    await survivesLoss(catalog(), deployed, { read, change });
    await upgrades(catalog(), deployed);
    expect(await read()).toContain('"text":"42\\n"');

    await deployed.run('convert', { notebook: 'beds.ipynb' });
    expect(await deployed.say('cat', 'work/beds.html')).toContain('42');
    expect(await deployed.run('list-packages')).toContain('ipykernel');
    expect(JSON.parse(await deployed.run('status'))).toMatchObject({ kernels: 0 });
    await deployed.checkAndRelease(['install-package']);
  });
}
