import { describe, expect, it } from 'vitest';
import { chartSvg } from './chart-svg.ts';
import { inks } from './plot-inks.ts';

const minute = 60_000;
const line = (name: string, values: readonly number[]) => ({
  label: name,
  unit: name,
  channel: null,
  name,
  points: { x: values.map((_, index) => index * minute), y: [...values] },
  style: { colour: '#0072b2', dash: [7, 4] },
  deviations: null,
  flags: [],
  off: [],
});
const picture = (names: readonly string[]) => ({
  title: 'OD <AU>',
  subtitle: 'yeast & salt, 1 May',
  scene: {
    lines: names.map((name) => line(name, [0.1, 0.2, 0.4])),
    marks: [{ id: 'a', atMs: minute, untilMs: null, kind: 'dose' as const, unit: names[0] ?? null, text: '1 mL' }],
    targets: [{ unit: names[0] ?? '', fromMs: 0, toMs: null, value: 0.3 }],
    colourOf: () => '#d55e00',
  },
  range: { fromMs: 0, toMs: 2 * minute },
  values: [0, 0.5] as const,
  settings: {
    display: 'elapsed' as const,
    originMs: 0,
    presentYear: 2026,
    domain: [0, 1] as const,
    decimals: 3,
    isStepped: false,
    isLogarithmic: false,
    y: 'auto' as const,
    ink: inks.light,
  },
  offsetMinutesAt: () => 0,
});

describe('the picture of a chart', () => {
  it('has title, experiment, axes, lines with their dashes, legend, doses and targets', () => {
    const svg = chartSvg(picture(['rx1', 'rx"2']));
    expect(svg).toContain('OD &#60;AU&#62;');
    expect(svg).toContain('yeast &#38; salt, 1 May');
    expect(svg).toContain('>0.1<');
    expect(svg).toContain('>60 s<');
    // From the left edge at 0.1, through the middle, to the right edge at 0.4.
    expect(svg).toContain('M76 336L506 268L936 132');
    expect(svg.match(/stroke-dasharray="7 4"/g)).toHaveLength(4);
    expect(svg).toContain('rx&#34;2');
    expect(svg).toContain('M76 200L936 200');
    expect(svg.match(/fill="#d55e00"/g)).toHaveLength(1);
    expect(svg).not.toContain('NaN');
  });

  it('has the flags of readings and the breaks in the window, and explains them in its legend', () => {
    const plain = picture(['rx1', 'rx2']);
    const [first, ...others] = plain.scene.lines;
    const flag = { flag: 'vial_out' as const, fromMs: minute, toMs: minute };
    const breaks = [
      { fromMs: 1.5 * minute, toMs: 9 * minute, isCut: true },
      { fromMs: -9 * minute, toMs: -8 * minute, isCut: false },
    ];
    const lines = [{ ...(first ?? line('rx1', [])), flags: [flag], off: breaks }, ...others];
    const svg = chartSvg({ ...plain, scene: { ...plain.scene, lines } });
    // At its reading, and in the legend.
    expect(svg).toContain('<path transform="translate(506 268)"');
    expect(svg.match(/<path transform="translate/g)).toHaveLength(2);
    expect(svg).toContain('>Vial out (rx1)<');
    // To the right edge.
    expect(svg).toContain('<rect x="721" y="64" width="215" height="340" fill="#0072b2" fill-opacity="0.12"/>');
    expect(svg).toContain('>Off (rx1)<');
    expect(svg).not.toContain('>Stopped');
    expect(svg).not.toContain('NaN');
  });

  it('grows with its legend', () => {
    const names = Array.from({ length: 60 }, (_, index) => `a long name ${index}`);
    const heightOf = (svg: string) => Number(/height="(\d+)"/.exec(svg)?.[1]);
    expect(heightOf(chartSvg(picture(['rx1'])))).toBe(500);
    expect(heightOf(chartSvg(picture(names)))).toBeGreaterThan(600);
  });
});
