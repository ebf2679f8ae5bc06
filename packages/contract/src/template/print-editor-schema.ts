import { editorSchema } from './editor-schema.ts';

const publicUrl = process.env.HORTUS_PUBLIC_URL ?? 'http://127.0.0.1:8420';

process.stdout.write(`${JSON.stringify(editorSchema(publicUrl), null, 2)}\n`);
