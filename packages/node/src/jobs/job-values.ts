import type { Json } from '@lcs/contract';
import type { JobSettingDeclaration, JobSettings } from '@lcs/domain';
import type { JobDefinition } from './job-definition.ts';
import type { OptionValues } from './job-options.ts';

/** The declared settings of one run, and their values. */
export class JobValues {
  readonly #declarations: ReadonlyMap<string, JobSettingDeclaration>;
  readonly #values = new Map<string, Json>();
  /** By setting, its key on the bus of the node: jobs publish several settings with each reading. */
  readonly #keys: ReadonlyMap<string, string>;

  /** `restored`: the effective values before a restart. */
  constructor(definition: JobDefinition, options: OptionValues, restored: Readonly<Record<string, Json>> = {}) {
    this.#declarations = new Map(Object.entries(settingsOf(definition, options)));
    this.#keys = new Map(this.names.map((name) => [name, `${definition.name}/${name}`]));
    for (const [name, { default: value }] of this.#declarations) {
      if (value !== undefined) this.#values.set(name, value);
    }
    if (typeof options.automation_name === 'string') this.#values.set('automation_name', options.automation_name);
    for (const [name, value] of Object.entries(restored)) this.set(name, value);
  }

  get names(): readonly string[] {
    return [...this.#declarations.keys()];
  }

  declaration(name: string): JobSettingDeclaration | undefined {
    return this.#declarations.get(name);
  }

  /** `<job name>/<setting>`. */
  keyOf(name: string): string {
    return this.#keys.get(name) ?? name;
  }

  get(name: string): Json {
    return this.#values.get(name) ?? null;
  }

  set(name: string, value: Json): void {
    if (value === null) this.#values.delete(name);
    else this.#values.set(name, value);
  }

  entries(): readonly (readonly [string, Exclude<Json, null>])[] {
    return [...this.#values].flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  }
}

/** Everything a job may publish when it is started with these options. */
function settingsOf({ settings, variants }: JobDefinition, { automation_name: name }: OptionValues): JobSettings {
  if (variants === undefined) return settings;
  const variant = typeof name === 'string' && Object.hasOwn(variants, name) ? variants[name] : undefined;
  return { automation_name: { type: 'string', readOnly: true, isKept: true }, ...settings, ...variant?.settings };
}

/** Everything a job may publish with any options. */
export function allSettingNames({ settings, variants = {} }: JobDefinition): readonly string[] {
  const ofVariants = Object.values(variants).flatMap((variant) => Object.keys(variant.settings));
  return [...new Set([...Object.keys(settings), ...ofVariants, ...(ofVariants.length > 0 ? ['automation_name'] : [])])];
}
