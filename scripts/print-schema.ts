// npm run schema [-- garden]: prints the JSON Schema of templates or of gardens, for editors.
import { editorSchema } from '@hortus/contract/template/editor-schema';
import { gardenSchema } from '@hortus/garden/format';

const publicUrl = process.env.HORTUS_PUBLIC_URL ?? 'http://127.0.0.1:8420';
const schema = process.argv[2] === 'garden' ? gardenSchema(publicUrl) : editorSchema(publicUrl);

process.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
