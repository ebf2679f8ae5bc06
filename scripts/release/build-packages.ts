// npm run build:packages: the npm packages of the client and of the command line client, in dist/packages. Prints their paths.
import { join } from 'node:path';
import { buildNpmPackages } from './npm-packages.ts';

const { client, cli } = await buildNpmPackages(join(import.meta.dirname, '../../dist/packages'));
for (const path of [client, cli]) console.log(path);
