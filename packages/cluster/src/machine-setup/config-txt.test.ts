import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boardLines,
  excludedOverlays,
  foreignOverlays,
  linesFor,
  missingLines,
  outputKinds,
  outputOverlays,
  outputsFilters,
  outputsIn,
  withLines,
  withOutputs,
} from './config-txt.ts';

const wanted = ['dtparam=i2c_arm=on', 'dtparam=audio=off', 'dtoverlay=pwm-gpio,gpio=17'];

/** As Raspberry Pi OS ships it, shortened. */
const shipped = `# For more options and information see
#dtparam=i2c_arm=on
dtparam=audio=on
dtoverlay=vc4-kms-v3d
max_framebuffers=2

[cm4]
otg_mode=1

[all]
`;

describe('config.txt', () => {
  it.each<[text: string, missing: readonly number[]]>([
    ['', [0, 1, 2]],
    [wanted.join('\n'), []],
    [wanted.join('\r\n'), []],
    [`${shipped}${wanted.join('\n')}`, [1]],
    // A comment is no line.
    [`#${wanted.join('\n#')}`, [0, 1, 2]],
    ['dtparam=i2c_arm=on,spi=on,audio=off', [2]],
    ['dtparam=i2c=on', [1, 2]],
    ['dtparam=i2c_arm', [1, 2]],
    ['  dtparam = i2c_arm=on  ', [1, 2]],
    // The last line takes precedence.
    ['dtparam=i2c_arm=on\ndtparam=i2c_arm=off', [0, 1, 2]],
    ['dtparam=i2c_arm=off\ndtparam=i2c_arm=on', [1, 2]],
    // A filter hides a line from other computers, until [all].
    ['[pi4]\ndtparam=i2c_arm=on\ndtoverlay=pwm-gpio,gpio=17', [0, 1, 2]],
    ['[pi4]\nx=1\n[ALL]\ndtparam=i2c_arm=on', [1, 2]],
    ['dtparam=i2c_arm=on\n[pi5]\ndtparam=i2c_arm=off', [0, 1, 2]],
    ['dtparam=i2c_arm=on\n[pi5]\ndtparam=i2c_arm=on', [1, 2]],
    // After an overlay of the display, its sound is meant, until the scope ends.
    ['dtoverlay=vc4-kms-v3d\ndtparam=audio=off', [0, 1, 2]],
    ['dtoverlay=vc4-kms-v3d\ndtoverlay=\ndtparam=audio=off', [0, 2]],
    ['dtoverlay=pwm-gpio,gpio=16', [0, 1, 2]],
    ['dtoverlay = pwm-gpio , gpio=17', [0, 1]],
  ])('%j lacks %j', (text, missing) => {
    expect(missingLines(text, wanted)).toEqual(missing.map((index) => wanted[index]));
  });

  it('takes the parameters of an overlay in any order', () => {
    const [line = ''] = boardLines.filter((each) => each.includes('pwm-2chan'));
    expect(missingLines('dtoverlay=pwm-2chan,func2=4,pin2=13,func=4,pin=12', [line])).toEqual([]);
    expect(missingLines('dtoverlay=pwm-2chan,pin=12,func=4', [line])).toEqual([line]);
  });

  it('leaves the outputs to the overlay that a person has chosen for them', () => {
    const chosen = 'dtoverlay=lcs-outputs,period1=4000000';
    expect(linesFor(chosen)).toEqual(boardLines.slice(0, 3));
    expect([outputOverlays(chosen), outputOverlays('')]).toEqual([['lcs-outputs'], ['pwm-2chan', 'pwm-gpio']]);
    expect(linesFor('#dtoverlay=lcs-outputs')).toEqual(boardLines);
    expect(excludedOverlays(`${chosen}\n${boardLines.join('\n')}`)).toEqual(['pwm-2chan', 'pwm-gpio']);
    expect([excludedOverlays(chosen), excludedOverlays(boardLines.join('\n'))]).toEqual([[], []]);
  });

  it('adds no other outputs where the chosen overlay stands under a filter', () => {
    const filtered = '[pi5]\ndtoverlay=lcs-outputs\n';
    expect(linesFor(filtered)).toEqual(boardLines.slice(0, 3));
    expect(outputOverlays(filtered)).toEqual(['lcs-outputs']);
    expect([filtered, `${filtered}[all]\ndtoverlay=lcs-outputs`, ''].map(outputsFilters)).toEqual([['[pi5]'], [], []]);
    const gpio = 'dtoverlay=pwm-gpio,gpio=17';
    expect(['[all]', '[pi5]', '[pi4]'].map((filter) => excludedOverlays(`${filtered}${filter}\n${gpio}`))).toEqual([
      ['pwm-gpio'],
      ['pwm-gpio'],
      [],
    ]);
  });

  it('changes the outputs to the other overlays, and back; lines of a person stay', () => {
    const old = withOutputs(shipped, 'pwm');
    expect(old).toBe(withLines(shipped, boardLines));
    const fresh = withOutputs(shipped, 'lcs-outputs');
    expect(fresh).toContain('dtparam=watchdog=on\ndtoverlay=lcs-outputs\n');
    expect([outputsIn(shipped), outputsIn(old), outputsIn(fresh)]).toEqual([undefined, 'pwm', 'lcs-outputs']);
    const changed = withOutputs(old, 'lcs-outputs');
    expect(changed).toContain('#dtoverlay=pwm-2chan,pin=12,func=4,pin2=13,func2=4\n#dtoverlay=pwm-gpio,gpio=17\n');
    expect([excludedOverlays(changed), missingLines(changed, linesFor(changed))]).toEqual([[], []]);
    const back = withOutputs(changed, 'pwm');
    expect([outputsIn(back), missingLines(back, boardLines)]).toEqual(['pwm', []]);
    const own = `${shipped}dtoverlay=lcs-outputs,period1=4000000\n`;
    expect(withOutputs(own, 'lcs-outputs').startsWith(own)).toBe(true);
    expect(foreignOverlays(`${old}[pi4]\ndtoverlay=pwm-gpio,gpio=17\n[all]\ndtoverlay=pwm-gpio,gpio=22`)).toEqual([
      'dtoverlay=pwm-gpio,gpio=17',
      'dtoverlay=pwm-gpio,gpio=22',
    ]);
  });

  it('adds what is missing at the end, outside of the scope of an overlay', () => {
    expect(withLines(shipped, wanted)).toBe(
      `${shipped}\n# Leader Control Service: the board of a unit\ndtoverlay=\n${wanted.join('\n')}\n`,
    );
    expect(withLines('a=1\r\n[pi4]\r\nb=2', wanted.slice(0, 1))).toBe(
      'a=1\r\n[pi4]\r\nb=2\r\n\r\n# Leader Control Service: the board of a unit\r\n[all]\r\ndtparam=i2c_arm=on\r\n',
    );
  });

  it('keeps every line that was there, and changes nothing the second time', () => {
    const line = fc.constantFrom(
      ...wanted,
      ...boardLines,
      ...wanted.map((each) => `#${each}`),
      'dtparam=i2c_arm=off',
      'dtparam=audio=on,watchdog=off',
      'dtoverlay=vc4-kms-v3d',
      'dtoverlay=',
      '[all]',
      '[pi4]',
      '[pi5]',
      '[none]',
      '',
      '   ',
      'gpu_mem=16',
      'not a line',
      '=',
    );
    const texts = fc
      .tuple(fc.array(fc.oneof(line, fc.string()), { maxLength: 12 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
      .map(([lines, newline, isEnded]) => lines.join(newline) + (isEnded ? newline : ''));
    fc.assert(
      fc.property(texts, (text) => {
        const changed = withLines(text, boardLines);
        expect(changed.startsWith(text)).toBe(true);
        expect(missingLines(changed, boardLines)).toEqual([]);
        expect(withLines(changed, boardLines)).toBe(changed);
        for (const outputs of outputKinds) {
          const of = withOutputs(text, outputs);
          expect([withOutputs(of, outputs), missingLines(of, linesFor(of, outputs))]).toEqual([of, []]);
          const linesOf = (each: string) => each.split(/\r\n|\r|\n/);
          const after = linesOf(of);
          expect(
            linesOf(text).every((each, index) => each === '' || [each, `#${each}`].includes(after[index] ?? '')),
          ).toBe(true);
        }
      }),
    );
  });
});
