import { endpointRows } from '@hortus/contract/endpoints';
import type { OpenApiDocument } from '@hortus/contract/openapi/document';
import { openapiDocument } from '@hortus/contract/openapi/openapi';
import { describe, expect, test } from 'vitest';
import { referenceStyles, renderReference } from './reference-page.ts';

const doc = openapiDocument({ publicUrl: 'https://hortus.example.org', version: '1.2.3' });
const page = renderReference(doc);

test('every operation, event, machine, permission and error is on the page', () => {
  for (const [name, row] of endpointRows) {
    expect(page).toContain(`id="${name}"`);
    expect(page).toContain(row.path);
  }
  for (const name of Object.keys(doc.webhooks)) expect(page).toContain(`<code>${name}</code>`);
  for (const name of Object.keys(doc['x-permissions'])) expect(page).toContain(`<code>${name}</code>`);
  for (const name of Object.keys(doc.components.responses)) expect(page).toContain(`<code>${name}</code>`);
  expect(page).toContain('id="state-instance-health"');
});

test('every link inside the page has a target, and ids are unique', () => {
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map((m) => m[1]);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
});

test('the page works under a strict Content-Security-Policy', () => {
  expect(page).not.toMatch(/<script|<style|\sstyle=|\son[a-z]+=|javascript:/i);
  expect(page).toContain('<link rel="stylesheet" href="/docs/style.css">');
  expect(referenceStyles).not.toMatch(/url\(|@import/);
});

test('nested fields are listed under their parent', () => {
  const article = page.slice(
    page.indexOf('<article id="templates.list"'),
    page.indexOf('<article id="templates.featured"'),
  );
  expect(article).toContain('class="depth-1"><code>taxonomy</code>');
  expect(article).toContain('class="depth-2"><code>kingdom</code>');
  expect(article).toContain('list of TemplateItem');
});

test('the sample request can be pasted into a shell', () => {
  const article = page.slice(page.indexOf('<article id="servers.register"'));
  expect(article).toContain('curl -X POST &#39;https://hortus.example.org/api/v1/servers/register&#39; \\\n');
  expect(article).toContain('&quot;name&quot;: &quot;web-1&quot;');
  expect(page.slice(page.indexOf('<article id="health.read"')).split('</pre>')[0]).not.toContain('Authorization');
});

describe('hostile strings', () => {
  const evil = `"'><script>alert(1)</script><img src=x onerror=alert(1)>&\`</code>\``;
  /** Puts the string wherever the document has text, in keys too, without breaking its structure. */
  const poison = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return key === '$ref' || key === 'in' ? value : `${value}${evil}`;
    if (Array.isArray(value)) return value.map((each) => poison(each));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, poison(part, name)]));
  };

  /** The elements and attributes a browser would see. */
  const namesIn = (html: string) => {
    const tags = [...html.matchAll(/<\/?([a-z][a-z0-9]*)((?:\s+[a-z-]+="[^"]*")*)\s*>/g)];
    expect(tags.length, 'every < opens a well-formed tag').toBe(html.split('<').length - 1 - 1); // the doctype is none
    const names = tags.flatMap(([, tag, rest]) => [
      tag,
      ...[...(rest ?? '').matchAll(/([a-z-]+)="[^"]*"/g)].map((m) => m[1]),
    ]);
    return [...new Set(names)].sort();
  };

  test('are escaped everywhere on the page', () => {
    const plain = JSON.parse(JSON.stringify(doc)) as OpenApiDocument;
    const poisoned = poison(plain) as OpenApiDocument;
    const paths = Object.fromEntries(Object.entries(poisoned.paths).map(([path, ops]) => [`${path}${evil}`, ops]));
    const html = renderReference({
      ...poisoned,
      paths,
      webhooks: { [evil]: Object.values(poisoned.webhooks)[0] as never },
    });
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toMatch(/<script|<img/);
    expect(namesIn(html)).toEqual(namesIn(page));
  });

  test('a quote in an example is escaped in the sample request', () => {
    const hostile = JSON.parse(JSON.stringify(doc)) as {
      components: { schemas: { ServerRegistration: { examples: unknown[] } } };
    };
    hostile.components.schemas.ServerRegistration.examples = [{ name: "'; rm -rf ~; '" }];
    const html = renderReference(hostile as unknown as OpenApiDocument);
    expect(html).toContain('&#39;\\&#39;&#39;; rm -rf ~; &#39;\\&#39;&#39;');
  });
});

test('a long response is written once, and the other operations with it link there', () => {
  expect(page).toMatch(/<p class="answer">Answer <b>200<\/b>, as in <a href="#[^"]+">/);
  const responses = [...page.matchAll(/<details>.*?<table>(.*?)<\/table>/gs)].map(([, fields]) => fields ?? '');
  const long = responses.filter((fields) => fields.length > 2_000);
  expect(new Set(long).size).toBe(long.length);
});

test('the page is small enough to read on a phone', () => {
  expect(Buffer.byteLength(page) / endpointRows.length).toBeLessThan(5_200);
});
