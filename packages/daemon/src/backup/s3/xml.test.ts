import { expect, test } from 'vitest';
import { problemOf } from './bucket-problem.ts';
import { childrenOf, parseResponse, textOf } from './xml.ts';

test('a response is read with namespaces, declarations, comments, CDATA and entities', () => {
  const list = parseResponse(`<?xml version="1.0" encoding="UTF-8"?>
<!-- a list -->
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <IsTruncated>false</IsTruncated>
  <Contents><Key>a &amp; b&#x2F;c</Key></Contents>
  <Contents note="x"><Key><![CDATA[d<e>]]></Key></Contents>
</ListBucketResult>`);
  expect(childrenOf(list, 'Contents').map((element) => textOf(element, 'Key'))).toEqual(['a & b/c', 'd<e>']);
  expect(textOf(list, 'IsTruncated')).toBe('false');
  expect(textOf(list, 'UploadId')).toBeUndefined();
});

test.each([
  ['', 'nothing'],
  ['<html><p>Bad gateway', 'the page of a proxy'],
  ['<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><Error><Code>&e;</Code></Error>', 'an external entity'],
])('an answer that is not XML of S3 is a problem without details: %j', (body) => {
  expect(parseResponse(body)).toBeUndefined();
  expect(problemOf(502, body, 'backups')).toMatchObject({ kind: 'passing', message: expect.stringContaining('502') });
});
