import { canonical } from './canonical.ts';
import { INKWELL } from './inkwell.fixture.ts';
import { parse } from './parse.ts';
import { validate } from './validate.ts';
import { resolve } from './resolve.ts';
import { checkInputs } from './inputs.ts';
import { generateSecrets } from './secrets.ts';
const t = parse(INKWELL).value as any;
const spec = canonical(t);
async function time(name: string, n: number, f: () => unknown) { for (let i=0;i<n/5;i++) await f(); const s=performance.now(); for(let i=0;i<n;i++) await f(); console.log(name, ((performance.now()-s)/n*1000).toFixed(1),'µs'); }
await time('parse',100,()=>parse(INKWELL));
await time('validate',100,()=>validate(INKWELL));
await time('canonical',200,()=>canonical(t));
await time('checkInputs',100000,()=>checkInputs(spec,{WEB_HOSTNAME:'a.example.org',SITE_TITLE:'x',LOG_LEVEL:'debug',ADMIN_EMAIL:'a@b.c',SMTP_PASSWORD:'p'},{mode:'create'}));
await time('resolve',20000,()=>resolve(spec,{profile:'production',inputs:{WEB_HOSTNAME:'a.example.org',SMTP_PASSWORD:'p'},secrets:{DB_PASSWORD:'x',SESSION_KEY:'k'},instance:{uid:'u',name:'n',server_id:'s'}}));
await time('secrets',20000,()=>generateSecrets(spec));
