import { type IniDocument, type IniView, mergeIni } from '@lcs/contract/ini';
import { isSecretKey } from './config-secrets.ts';

type Sections = Record<string, Readonly<Record<string, string>>>;

const sensors = 'od_config.photodiode_channel';

/** Without a prototype, like the views: `__proto__` is a name like any other. */
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
 * The effective configuration of a node with derived values: `leds_reverse` and `PWM_reverse` (value to key), only light sensors with an
 * angle, the leader among the addresses.
 */
export function effectiveConfig(shared: IniDocument, own: IniDocument): IniView {
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

/** The same with blank passwords, as it is sent to clients. */
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
