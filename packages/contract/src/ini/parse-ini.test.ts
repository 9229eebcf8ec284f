import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../testing/any-character.ts';
import { anyIniText } from '../testing/ini-texts.ts';
import { normaliseDashes } from './ini-text.ts';
import { parseIni } from './parse-ini.ts';

const read = (text: string) => parseIni(text).document;
const plain = (text: string) => JSON.parse(JSON.stringify(read(text).view()));

describe('reading an INI file', () => {
  it('finds sections and keys, with either delimiter and any spaces around it', () => {
    const text = '[mqtt]\nbroker_address=lead.local\nport : 1883\n\n[stirring.config]\n  initial_target_rpm =  450  \n';
    expect(plain(text)).toEqual({
      mqtt: { broker_address: 'lead.local', port: '1883' },
      'stirring.config': { initial_target_rpm: '450' },
    });
    expect(read(text).sections()).toEqual(['mqtt', 'stirring.config']);
    expect(parseIni(text).diagnostics).toEqual([]);
  });

  it('splits at the first delimiter only', () => {
    expect(plain('[a]\nurl=http://x:1?q=2\nb: c=d\n')).toEqual({ a: { url: 'http://x:1?q=2', b: 'c=d' } });
  });

  it('distinguishes upper and lower case', () => {
    expect(plain('[A]\nKey=1\nkey=2\n[a]\nkey=3')).toEqual({ A: { Key: '1', key: '2' }, a: { key: '3' } });
  });

  it('takes a line that begins with # or ; for a comment, and keeps these signs inside of values', () => {
    const text = '# one\n[a] ; about a\n; two\n  # three\ncolour=#fff\nrpm=500 ; per minute # really\n';
    expect(plain(text)).toEqual({ a: { colour: '#fff', rpm: '500 ; per minute # really' } });
    expect(parseIni(text).diagnostics).toEqual([]);
  });

  it('continues a value in indented lines, over comments and blank lines', () => {
    expect(plain('[a]\nlist=\n  one\n  # not this\n\n\t[two]=2\nnext=3\n\n')).toEqual({
      a: { list: '\none\n\n[two]=2', next: '3' },
    });
  });

  it('does not take keys that are all indented for continuations', () => {
    expect(plain('[a]\n    b=1\n    c=2\n  d=3\n')).toEqual({ a: { b: '1', c: '2', d: '3' } });
  });

  it('reads a key without value, and one with nothing behind the =, as empty', () => {
    expect(plain('[a]\nflag\nnothing=\n')).toEqual({ a: { flag: '', nothing: '' } });
  });

  it('reads %% as % and leaves a % alone as it is', () => {
    expect(plain('[a]\nfull=100%%\nhalf=50%\nname=%(x)s\nthree=%%%\n')).toEqual({
      a: { full: '100%', half: '50%', name: '%(x)s', three: '%%' },
    });
  });

  it('shows the keys of [DEFAULT] in every section, which can override them', () => {
    const text = '[DEFAULT]\nrpm=400\nport=1\n[a]\nrpm=500\n[b]\n';
    expect(plain(text)).toEqual({ a: { rpm: '500', port: '1' }, b: { rpm: '400', port: '1' } });
    const document = read(text);
    expect(document.sections()).toEqual(['a', 'b']);
    expect(document.get('b', 'rpm')).toBe('400');
    expect(document.get('DEFAULT', 'rpm')).toBe('400');
    expect(document.get('missing', 'rpm')).toBeUndefined();
    expect(document.get('a', 'missing')).toBeUndefined();
  });

  it('reads Windows line ends and a byte order mark', () => {
    expect(plain('\uFEFF[a]\r\nb=1\r\n  2\r\n')).toEqual({ a: { b: '1\n2' } });
    expect(parseIni('\uFEFF[a]\r\nb=1').diagnostics).toEqual([]);
  });

  it('treats names of object properties as names', () => {
    const view = read('[__proto__]\npolluted=1\n[constructor]\n__proto__=2\ntoString=3\n[DEFAULT]\nvalueOf=4').view();
    expect(Object.keys(view)).toEqual(['__proto__', 'constructor']);
    expect(JSON.stringify(view.constructor)).toBe('{"valueOf":"4","__proto__":"2","toString":"3"}');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(read('[a]').get('a', 'toString')).toBeUndefined();
    expect(read('[a]').view().constructor).toBeUndefined();
  });
});

describe('what is wrong in an INI file', () => {
  it('is reported with its place', () => {
    const text = [
      'before=1',
      'also before',
      '[a]',
      'k=1',
      '  =continues',
      'k=2',
      '[b]',
      '= no key',
      '  [open',
      '[]',
      '[a]',
      'k=3',
      'flag',
      '  goes on',
      '  and on',
    ].join('\n');
    expect(parseIni(text).diagnostics).toEqual([
      { line: 1, column: 1, code: 'text_before_section', message: expect.stringContaining('before the first') },
      { line: 6, column: 1, code: 'duplicate_key', message: expect.stringContaining('line 4'), section: 'a', key: 'k' },
      { line: 8, column: 1, code: 'syntax', message: expect.stringContaining("before the '='") },
      { line: 9, column: 3, code: 'syntax', message: expect.stringContaining('[name]') },
      { line: 10, column: 1, code: 'syntax', message: expect.stringContaining('[name]') },
      { line: 11, column: 1, code: 'duplicate_section', message: expect.stringContaining('line 3'), section: 'a' },
      {
        line: 12,
        column: 1,
        code: 'duplicate_key',
        message: expect.stringContaining('line 4'),
        section: 'a',
        key: 'k',
      },
      { line: 14, column: 3, code: 'syntax', message: expect.stringContaining("'flag'"), key: 'flag' },
    ]);
    expect(read(text).get('a', 'k')).toBe('3');
  });

  it('does not take text behind a section name for a comment without a sign', () => {
    expect(parseIni('[a] b=1').diagnostics).toMatchObject([{ line: 1, code: 'syntax' }]);
  });

  it('always has a place inside of the text', () => {
    fc.assert(
      fc.property(anyIniText, (text) => {
        const lines = text.split('\n');
        for (const { line, column } of parseIni(text).diagnostics) {
          expect(lines[line - 1]?.length ?? 0).toBeGreaterThanOrEqual(column);
        }
      }),
    );
  });
});

describe('any text at all', () => {
  it('is written back byte for byte', () => {
    fc.assert(
      fc.property(fc.oneof(anyIniText, fc.string({ unit: anyCharacter, maxLength: 200 })), (text) => {
        expect(read(text).toString()).toBe(text);
      }),
      { numRuns: 200 },
    );
  });
});

describe('dashes', () => {
  it('of text editors become what was meant', () => {
    expect(normaliseDashes('a–b—c-d−e')).toBe('a-b-c-d−e');
  });
});
