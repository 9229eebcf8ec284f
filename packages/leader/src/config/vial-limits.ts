import type { ConfigDiagnostic, Model } from '@lcs/contract';
import { bioreactorSettings, maximumValue, SettingPositions } from '@lcs/domain';
import { configError, normaliseConfigText } from '@lcs/node';
import { parseIni } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';

/** The catalogue of models. */
export interface VialModels {
  list(): Promise<readonly Model[]>;
  find(name: string, version: string): Promise<Model | undefined>;
}

/** The settings that hold a value of the vial. */
const volumes = [
  [bioreactorSettings.initialVolume, 'current_volume_ml'],
  [bioreactorSettings.effluxTubeVolume, 'efflux_tube_volume_ml'],
] as const;

/** The largest vial that a file concerns, mL: that of its unit, or of all units; of units without a model, of all models. */
async function capacityMl(
  { database }: Pick<LeaderContext, 'database'>,
  models: VialModels,
  unit: string | null,
): Promise<number | undefined> {
  const all = database.read.selectFrom('workers').select(['model_name', 'model_version']);
  const workers = await (unit === null ? all : all.where('reactor_unit', '=', unit)).execute();
  const named = await Promise.all(
    workers.flatMap(({ model_name, model_version }) =>
      model_name === null || model_version === null ? [] : [models.find(model_name, model_version)],
    ),
  );
  const known = named.flatMap((model) => model ?? []);
  const of = known.length > 0 ? known : await models.list();
  return of.length === 0 ? undefined : Math.max(...of.map(({ reactor_capacity_ml }) => reactor_capacity_ml));
}

/**
 * Expects that the volumes of the vial in a text fit into it. A text that cannot be read is refused by the other rules.
 * @param unit whose own file it is; null: the shared file
 * @throws ApiError config_invalid
 */
export async function expectVolumesInVial(
  context: Pick<LeaderContext, 'database'>,
  models: VialModels,
  { code, unit }: { readonly code: string; readonly unit: string | null },
): Promise<void> {
  const text = normaliseConfigText(code);
  const { document, diagnostics } = parseIni(text);
  if (diagnostics.length > 0) return;
  const given = volumes.flatMap(([setting, key]) => {
    const written = document.get(setting.section, setting.key)?.trim() ?? '';
    const value = written === '' ? undefined : setting.parse(written);
    return value?.ok ? [{ setting, key, value: value.value }] : [];
  });
  if (given.length === 0) return;
  const capacity = await capacityMl(context, models, unit);
  const positions = new SettingPositions(text);
  const faults = given.flatMap(({ setting: { section, key: name }, key, value }): readonly ConfigDiagnostic[] => {
    const highest = maximumValue(key, capacity);
    if (value <= highest) return [];
    const message = `Key '${name}' in section [${section}] is ${value}; the vial holds at most ${highest} mL.`;
    return [{ ...positions.of(section, name), severity: 'error', code: 'wrong_value', message, section, key: name }];
  });
  if (faults.length > 0) throw configError(faults);
}
