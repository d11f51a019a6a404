// The edges of the field types that are text: lengths in code points, what cannot be stored, and the reason given.
import { expect, test } from 'vitest';
import { cpuMsOf } from '../../../../test/support/cpu-time.ts';
import type { FieldType } from '../../field-type.ts';
import { domain } from '../domain.ts';
import { email } from '../email.ts';
import { longText } from '../long-text.ts';
import { text } from '../text.ts';
import { url } from '../url.ts';

const texts: readonly { readonly fieldType: FieldType; readonly longest: (filler: string) => string }[] = [
  { fieldType: text, longest: (filler) => filler.repeat(1_024) },
  { fieldType: longText, longest: (filler) => filler.repeat(65_536) },
  { fieldType: email, longest: (filler) => `${filler.repeat(242)}@example.com` },
  { fieldType: url, longest: (filler) => `https://a.example/${filler.repeat(2_030)}` },
];

test.each(texts)('$fieldType.name counts its limit in code points', ({ fieldType, longest }) => {
  for (const filler of ['a', 'é', '字', '😀', '\u{10ffff}']) {
    expect(fieldType.check(longest(filler), [])).toBeUndefined();
    expect(fieldType.check(longest(filler) + filler, [])?.reason).toBe('too_long');
  }
});

test.each(texts)('$fieldType.name says how long a value may be and how long it was', ({ fieldType, longest }) => {
  const length = Array.from(`${longest('😀')}😀`).length;
  const fault = fieldType.check(`${longest('😀')}😀`, []);
  expect(fault?.detail).toContain((length - 1).toLocaleString('en-US'));
  expect(fault?.detail).toContain(length.toLocaleString('en-US'));
});

test('a domain of more than 253 characters is too long', () => {
  const label = 'a'.repeat(63);
  expect(domain.check(`${label}.${label}.${label}.${'b'.repeat(61)}`, [])).toBeUndefined();
  expect(domain.check(`${label}.${label}.${label}.${'b'.repeat(62)}`, [])?.reason).toBe('too_long');
});

test.each([text, longText, email, url, domain])('$name refuses an empty string and says how to clear it', (each) => {
  const fault = each.check('', []);
  expect(fault).toMatchObject({ reason: 'wrong_shape', at: '' });
  expect(fault?.detail).toContain('null');
});

test.each([text, longText, email, url, domain])('$name refuses text that PostgreSQL cannot store', (each) => {
  const example = each.example as string;
  for (const bad of ['\u0000', '\ud800', '\udfff', '\udc00\ud800']) {
    for (const value of [bad, bad + example, example + bad, example.slice(0, 2) + bad + example.slice(2)]) {
      expect(each.check(value, [])).toMatchObject({ reason: 'wrong_shape', at: '' });
    }
  }
});

test('text is kept as it is sent: white space, line ends and other control characters are text', () => {
  for (const value of [' ', '\n', '\t', '\u0001', '\u007f', '\u200b', '\ufeff', '\uffff', 'a\r\nb']) {
    expect(text.check(value, []), JSON.stringify(value)).toBeUndefined();
    expect(longText.check(value, [])).toBeUndefined();
  }
});

test.each([
  'ada@example.com',
  'a@b',
  "o'hara+crm@mail.example",
  'ünï@bücher.example',
  '"quoted"@example.com',
  'a@[127.0.0.1]',
])('an address that works is accepted: %s', (address) => {
  expect(email.check(address, [])).toBeUndefined();
});

test.each(['ada', '@', 'a@', '@b', 'a@b@c', 'a b@c', 'a@b c', 'a@b\n', '\ta@b', 'a@\u00a0b', 'Ada <ada@example.com>'])(
  'a text that is not a single address is refused: %j',
  (address) => {
    expect(email.check(address, [])?.reason).toBe('wrong_shape');
  },
);

test.each([
  'http://localhost',
  'HTTPS://EXAMPLE.COM',
  'https://a.example:8080/b?c=d#e',
  'https://bücher.example/ü',
  'http://[::1]:80/',
  'https://ada:secret@a.example?q',
  'https://a_b.example#f',
])('an absolute web address is accepted: %s', (address) => {
  expect(url.check(address, [])).toBeUndefined();
});

test.each([
  'example.com',
  '//example.com',
  '/about',
  'http:example.com',
  'http:/example.com',
  'http://',
  'https:///path',
  'https://?q',
  'https://#f',
  'https://a.example:123456',
  'ftp://example.com',
  'javascript:alert(1)',
  'data:text/html,x',
  'https://example.com/a b',
  'https://example.com\n',
  ' https://example.com',
  'xhttps://example.com',
])('a text that is not an absolute web address is refused: %j', (address) => {
  expect(url.check(address, [])?.reason).toBe('wrong_shape');
});

test.each([
  'http://:80',
  'https://@',
  'http://[',
  'https://a@/',
  'https://a:port/',
  'https://a^b',
  'https://[::1',
  'https://a]',
])('a text that no browser can read as an address is refused: %j', (address) => {
  expect(URL.canParse(address) && new URL(address).hostname !== '').toBe(false);
  expect(url.check(address, [])?.reason).toBe('wrong_shape');
});

test.each([
  'example.com',
  'a.b',
  'xn--bcher-kva.example',
  'bücher.example',
  '例え.テスト',
  '1.2.example',
  'a-b.c--d.e',
])('a host name in lower case is accepted: %s', (name) => {
  expect(domain.check(name, [])).toBeUndefined();
});

test.each([
  'example',
  'Example.com',
  'EXAMPLE.COM',
  'ÉCOLE.example',
  '.example.com',
  'example.com.',
  'a..b',
  '-a.example',
  'a-.example',
  'a_b.example',
  'a b.example',
  'https://example.com',
  'example.com/about',
  'example.com:80',
  'ada@example.com',
  `${'a'.repeat(64)}.example`,
])('a text that is not a host name in lower case is refused: %j', (name) => {
  expect(domain.check(name, [])?.reason).toBe('wrong_shape');
});

test('a hostile text of the greatest length is refused without delay', async () => {
  const tookMs = await cpuMsOf(() => {
    email.check('a'.repeat(1_000_000), []);
    url.check(`https://${'a'.repeat(2_000)}\n`, []);
    domain.check(`${'a-'.repeat(125)}.`, []);
    domain.check(`${'a.'.repeat(125)}-`, []);
    longText.check('\ud800'.repeat(1_000_000), []);
  });
  expect(tookMs).toBeLessThan(2_000);
});
