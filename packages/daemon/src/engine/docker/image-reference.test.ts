import { expect, test } from 'vitest';
import { checkedReference, pullParameters } from './image-reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;

test.each([
  ['postgres', 'postgres', 'latest'],
  ['docker.io/library/postgres:17.5', 'docker.io/library/postgres', '17.5'],
  ['localhost:5000/a/b', 'localhost:5000/a/b', 'latest'],
  ['localhost:5000/a/b:V1', 'localhost:5000/a/b', 'V1'],
  [`localhost:5000/a@${digest}`, 'localhost:5000/a', digest],
  [`a/b:1@${digest}`, 'a/b', digest],
])('%s is pulled as %s %s', (ref, fromImage, tag) => {
  expect(pullParameters(checkedReference(ref, 'pull'))).toEqual({ fromImage, tag });
});

test.each(['', 'a b', '../x', 'a/../b', 'a//b', 'a?b', 'a#b', 'a%2fb', 'A', 'a@sha256:1', 'a\nb', '/a', 'a/'])(
  '%j is refused',
  (ref) => {
    expect(() => checkedReference(ref, 'pull')).toThrow('not a valid image reference');
  },
);
