import { expect, test } from 'vitest';
import { parseTarget } from './target.ts';

test.each([
  ['/', { path: '/', search: '', authority: undefined }],
  ['/a/b?c=d?e', { path: '/a/b', search: 'c=d?e', authority: undefined }],
  ['//evil.example/a', { path: '//evil.example/a', search: '', authority: undefined }],
  ['/%', { path: '/%', search: '', authority: undefined }],
  ['*', { path: '*', search: '', authority: undefined }],
  ['', { path: '', search: '', authority: undefined }],
  ['a:443', { path: 'a:443', search: '', authority: undefined }],
  ['http://', { path: '/', search: '', authority: '' }],
  ['http://a:99999/ws/server', { path: '/ws/server', search: '', authority: 'a:99999' }],
  ['HTTPS://[::1]:1/x?y', { path: '/x', search: 'y', authority: '[::1]:1' }],
  ['http://a?b', { path: '/', search: 'b', authority: 'a' }],
  ['ftp://a/b', { path: 'ftp://a/b', search: '', authority: undefined }],
])('the target %j is parsed without an error', (raw, target) => {
  expect(parseTarget(raw)).toEqual(target);
});
