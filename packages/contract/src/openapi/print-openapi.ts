import { readFileSync } from 'node:fs';
import { openapiDocument } from './openapi.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const publicUrl = process.env.HORTUS_PUBLIC_URL ?? 'http://127.0.0.1:8420';

process.stdout.write(`${JSON.stringify(openapiDocument({ publicUrl, version }), null, 2)}\n`);
