import { isSecretKey } from './config-secrets.ts';
import type { IniDocument } from './ini-document.ts';
import type { IniView } from './ini-view.ts';
import { mergeIni } from './merge-ini.ts';

type Sections = Record<string, Readonly<Record<string, string>>>;

const sensors = 'od_config.photodiode_channel';

/** Like the views themselves: names such as `__proto__` are names like any other. */
const withoutPrototype = <Values extends object>(values: Values): Values => Object.assign(Object.create(null), values);

const filtered = (
  values: Readonly<Record<string, string>>,
  keep: (key: string, value: string) => boolean,
): Readonly<Record<string, string>> =>
  withoutPrototype(Object.fromEntries(Object.entries(values).filter(([key, value]) => keep(key, value))));

const inverted = (values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  withoutPrototype(
    Object.fromEntries(Object.entries(values).flatMap(([key, value]) => (value.trim() === '' ? [] : [[value, key]]))),
  );

/**
 * What is in force on a node, with what programs derive from it: `leds_reverse` and `PWM_reverse` (value to key), light
 * sensors without an angle left out, the leader among the addresses.
 */
export function configInForce(shared: IniDocument, own: IniDocument): IniView {
  const merged = mergeIni(shared, own);
  const sections: Sections = withoutPrototype({ ...merged });
  if (merged.leds) sections.leds_reverse = inverted(merged.leds);
  if (merged.PWM) sections.PWM_reverse = inverted(merged.PWM);
  if (merged[sensors]) sections[sensors] = filtered(merged[sensors], (_, value) => value.trim() !== '');
  const { leader_hostname = '', leader_address = '' } = merged['cluster.topology'] ?? {};
  const leader = leader_hostname === '' ? {} : { [leader_hostname]: leader_address };
  sections['cluster.addresses'] = withoutPrototype({ ...merged['cluster.addresses'], ...leader });
  return sections;
}

/** The same with every password blank: what is sent to whoever may read configurations. */
export function withoutSecrets(view: IniView): IniView {
  return withoutPrototype(
    Object.fromEntries(
      Object.entries(view).map(([section, values]) => [
        section,
        withoutPrototype(
          Object.fromEntries(Object.entries(values).map(([key, value]) => [key, isSecretKey(key) ? '' : value])),
        ),
      ]),
    ),
  );
}
