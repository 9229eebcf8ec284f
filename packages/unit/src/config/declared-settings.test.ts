import { readdirSync, readFileSync } from 'node:fs';
import { declaredSetting, isDeclaredSection } from '@lcs/domain';
import { describe, expect, it } from 'vitest';

const packages = new URL('../../../', import.meta.url);
const programs = ['cluster', 'hardware', 'leader', 'platform', 'unit'];
/** `leader.ini` is another file, with keys of its own. */
const otherFiles = ['broker-settings.ts'];

const sources = programs.flatMap((name) => {
  const folder = new URL(`${name}/src/`, packages);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|test-|-contract\.ts$/.test(file))
    .filter((file) => !otherFiles.some((other) => file.endsWith(other)))
    .map((file) => ({ file: `${name}/src/${file}`, text: readFileSync(new URL(file, folder), 'utf8') }));
});

interface Read {
  readonly file: string;
  /** One of them has the key. */
  readonly sections: readonly string[];
  readonly key: string;
}

/** Keys asked of a `JobConfig`, whose section is the one it was made for; one that came as an argument: any of its file. */
function readsOfJobConfigs({ file, text }: { readonly file: string; readonly text: string }): Read[] {
  const made = [...text.matchAll(/(?:const (\w+) = )?new JobConfig\([^,()]+(?:\([^()]*\))?[^,()]*, '([^']+)'\)/g)];
  const sectionOf = new Map(made.map(([, name = '', section = '']) => [name, section]));
  const all = made.map(([, , section = '']) => section);
  if (all.length === 0) return [];
  const calls = [...text.matchAll(/(\w+)\s*\.(?:number|boolean|choice|text)\(\s*'([^']+)'/g)];
  const chained = [
    ...text.matchAll(/new JobConfig\([^']*'([^']+)'\)\s*\.(?:number|boolean|choice|text)\(\s*'([^']+)'/g),
  ];
  return [
    ...chained.map(([, section = '', key = '']) => ({ file, sections: [section], key })),
    ...calls.map(([, name = '', key = '']) => {
      const section = sectionOf.get(name);
      return { file, sections: section === undefined ? all : [section], key };
    }),
  ];
}

/** Keys taken from a section of a view: `view()['a.b']?.key`, `{ key } = view['a.b'] ?? {}`. */
function readsOfViews({ file, text }: { readonly file: string; readonly text: string }): Read[] {
  const direct = [...text.matchAll(/(?:view|config)(?:\(\))?\??\.?\['([\w.]+)'\]\??\.(\w+)/g)];
  // A section may be missing, so that the types ask for `?.` behind it: other objects called config have it seldom.
  const named = [...text.matchAll(/(?:view|config)(?:\(\))?\.(\w+)\?\.(\w+)/g)];
  const [, only] = /\{ (\w+) \}: IniView/.exec(text) ?? [];
  const ofArgument = only === undefined ? [] : [...text.matchAll(new RegExp(`\\b(${only})\\?\\.(\\w+)`, 'g'))];
  const taken = [
    ...text.matchAll(/\{([^{}]+)\}(?:: [\w<>, ]+)? = \w*(?:view|config)(?:\(\))?(?:\['([\w.]+)'\]|\.(\w+)) \?\?/gi),
  ];
  // A function that reads keys of one section, `config.a?.[key]`, and its calls, `allows(config, 'key')`.
  const [, keyed] = /(?:view|config)\.(\w+)\?\.\[key\]/.exec(text) ?? [];
  const asked = keyed === undefined ? [] : [...text.matchAll(/\w+\((?:view|config), '(\w+)'/g)];
  return [
    ...asked.map(([, key = '']) => ({ file, sections: [keyed ?? ''], key })),
    ...[...direct, ...named, ...ofArgument].map(([, section = '', key = '']) => ({ file, sections: [section], key })),
    ...taken.flatMap(([, names = '', bracketed, dotted]) =>
      names
        .split(',')
        .map((name) => name.split(/[:=]/, 1)[0]?.trim() ?? '')
        .filter((key) => key !== '')
        .map((key) => ({ file, sections: [bracketed ?? dotted ?? ''], key })),
    ),
  ];
}

const reads = sources.flatMap((source) => [...readsOfJobConfigs(source), ...readsOfViews(source)]);

describe('the keys of the configuration that programs read', () => {
  it('are found by this test', () => {
    const found = reads.map(({ sections, key }) => `${sections[0]}.${key}`);
    expect(found).toEqual(
      expect.arrayContaining([
        'stirring.config.initial_target_rpm',
        'temperature_automation.thermostat.Kp',
        'monitor.config.self_check_interval_hours',
        'bioreactor.initial_volume_ml',
        'mqtt.use_tls',
        'ui.port',
        'resume.wait_s',
        'outbox.keep_days',
        'mcp.allow_acting_tools',
      ]),
    );
    expect(found.length).toBeGreaterThan(30);
  });

  it('are all declared', () => {
    const undeclared = reads.filter(({ sections, key }) =>
      sections.every((section) => !isDeclaredSection(section) || declaredSetting(section, key) === undefined),
    );
    expect(undeclared.map(({ file, sections, key }) => `${file}: [${sections.join('|')}] ${key}`)).toEqual([]);
  });
});
