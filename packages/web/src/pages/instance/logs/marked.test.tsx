import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Marked } from './marked.tsx';

const html = (text: string, q: string) => renderToStaticMarkup(<Marked text={text} q={q} />);

it('marks every searched word in any case, also those with special letters', () => {
  expect(html('GET /a.b and get /axb', 'get a.b')).toBe('<mark>GET</mark> /<mark>a.b</mark> and <mark>get</mark> /axb');
});

it('markup in a log line stays text', () => {
  expect(html('<img src=x onerror=alert(1)>', '')).toBe('&lt;img src=x onerror=alert(1)&gt;');
  expect(html('<b>x</b>', '<b>')).toBe('<mark>&lt;b&gt;</mark>x&lt;/b&gt;');
});
