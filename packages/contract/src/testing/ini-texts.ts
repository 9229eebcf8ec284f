import fc from 'fast-check';

const indent = fc.constantFrom('', '', '', ' ', '    ', '\t');
const word = fc.constantFrom('a', 'b', 'rpm', 'A', 'DEFAULT', '__proto__', 'flag', '50%', '%%', '–');
const body = fc.oneof(
  word.map((name) => `[${name}]`),
  word.map((name) => `[${name}] ; why`),
  fc
    .tuple(word, fc.constantFrom('=', ' = ', ':', ': '), fc.oneof(word, fc.constant('')))
    .map((parts) => parts.join('')),
  word,
  fc.constantFrom('', '# remark', '; remark', '=no key', '[open', '[]', '\uFEFF', '\r', '\u2028'),
  fc.string({ maxLength: 6 }),
);

/** Texts like configuration files, with all kinds of faults. */
export const anyIniText = fc
  .tuple(fc.array(fc.tuple(indent, body, fc.constantFrom('\n', '\n', '\r\n'))), fc.boolean())
  .map(([lines, endsOpen]) => {
    const text = lines.flat().join('');
    return endsOpen ? text.replace(/\r?\n$/, '') : text;
  });
