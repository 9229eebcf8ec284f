import { readdirSync, readFileSync } from 'node:fs';
import * as domain from '@lcs/domain';
import { describe, expect, it } from 'vitest';

const packages = new URL('../../../', import.meta.url);
const programs = ['cluster', 'domain', 'hardware', 'leader', 'node', 'platform', 'unit', 'web'];

const sources = programs.flatMap((name) => {
  const folder = new URL(`${name}/src/`, packages);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|test-|-contract\.ts$|^settings\//.test(file))
    .map((file) => ({ file: `${name}/src/${file}`, text: readFileSync(new URL(file, folder), 'utf8') }));
});
const allText = sources.map(({ text }) => text).join('\n');

/** Read as a whole section, or by the web UI, which has the text of the file. */
const readOtherwise = new Set([
  'cluster.addresses *',
  ...['1', '2', '3', '4', '5'].map((channel) => `PWM ${channel}`),
  ...['A', 'B', 'C', 'D'].map((led) => `leds ${led}`),
  ...['1', '2', '3', '4'].map((channel) => `od_config.photodiode_channel ${channel}`),
  'ui.overview.charts *',
  'ui.overview.settings time_display_mode',
  // The same keys of plugins' jobs.
  ...['enable_dodging_od', 'pre_delay_duration', 'post_delay_duration'].map((key) => `*.config ${key}`),
  // Read through `automationConstants` and `biomassSignalOf`.
  'dosing_automation.turbidostat biomass_signal',
  ...['Kp', 'Ki', 'Kd', 'minimum_dosing_volume_ml'].map((key) => `dosing_automation.pid_morbidostat ${key}`),
  // Read by pump.
  ...['media', 'alt_media', 'waste'].map((pump) => `bioreactor ${pump}_bottle_ml`),
]);

const isDeclaration = (value: unknown): value is domain.SettingDeclaration =>
  typeof value === 'object' && value !== null && 'needsRestart' in value;

/** The names by which programs read declarations: `group.member`. */
const readNames = Object.entries(domain).flatMap(([group, members]) =>
  typeof members !== 'object' || Array.isArray(members)
    ? []
    : Object.entries(members).flatMap(([member, value]) =>
        isDeclaration(value) ? [[`${value.section} ${value.key}`, `${group}.${member}`] as const] : [],
      ),
);
const namesOf: ReadonlyMap<string, string> = new Map(readNames);

describe('the declared settings', () => {
  it('are each read through their declaration, or marked as unused', () => {
    const unread = domain.settings
      .filter(({ isUnused }) => isUnused !== true)
      .map(({ section, key }) => `${section} ${key}`)
      .filter((name) => !readOtherwise.has(name) && !allText.includes(namesOf.get(name) ?? '(not exported)'));
    expect(unread).toEqual([]);
  });

  it('that are marked as unused are not read', () => {
    const used = domain.settings
      .filter(({ section, key, isUnused }) => {
        const name = namesOf.get(`${section} ${key}`);
        return (
          isUnused === true && name !== undefined && new RegExp(`Setting(?:OrDefault)?\\([^)]*${name}\\b`).test(allText)
        );
      })
      .map(({ section, key }) => `${section} ${key}`);
    expect(used).toEqual([]);
  });
});

/** Keys that a program reads from a section of the configuration by name: `view()['a.b']?.key`, `{ key } = view['a.b'] ?? {}`. */
function namedReads({ file, text }: { readonly file: string; readonly text: string }): readonly string[] {
  const patterns = [
    /(?:view|config)(?:\(\))?\??\.?\['[\w.]+'\]\??\.\w+/g,
    /(?:view|config)(?:\(\))?\.\w+\?\.(?:\w+|\[\w+\])/g,
    /\{[^{}]+\}(?:: [\w<>, ]+)? = \w*(?:view|config)(?:\(\))?(?:\['[\w.]+'\]|\.\w+) \?\?/gi,
  ];
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([read]) => `${file}: ${read}`));
}

it('no program reads a key of the configuration past its declaration', () => {
  const known = /leader_hostname|leader_address|config\.PWM|config\.video/;
  expect(sources.flatMap(namedReads).filter((read) => !known.test(read))).toEqual([]);
});
