import { join } from 'node:path';
import { ApiError, type ImportReport, isObject, PassedOnError } from '@lcs/contract';
import { declaredSetting, InvalidCalibrationFile, validateProfileFileName } from '@lcs/domain';
import type { TextReader } from '@lcs/node';
import { hiddenSecret, type IniView, isSecretKey, isTooLong, parseIni } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import type { ProfileFiles } from '../profiles/profile-files.ts';
import { type ActiveFiles, activeFiles, type UnitFileKind } from './active-files.ts';
import { foldersIn, type SourceFolder, type SourceText, textsIn } from './source-folder.ts';

type ReportedFile = ImportReport['files'][number];
type ComparedSetting = ImportReport['configuration'][number];

export interface FilesOptions {
  readonly context: Pick<LeaderContext, 'fleet' | 'units'>;
  readonly profiles: Pick<ProfileFiles, 'find' | 'create'>;
  readonly texts: TextReader;
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
}

const yamlFile = /\.ya?ml$/;
/** Time limit of a unit, in milliseconds. */
const unitLimitMs = 10_000;

const skippedFile = (file: string, kind: ReportedFile['kind'], ...messages: string[]): ReportedFile => ({
  file,
  kind,
  status: 'skipped',
  target: null,
  messages,
});

/** Profiles and calibrations of the source. */
export async function importFiles(source: SourceFolder, options: FilesOptions): Promise<ReportedFile[]> {
  const files: ReportedFile[] = [];
  for await (const text of textsIn(source, 'experiment_profiles', yamlFile)) {
    options.signal.throwIfAborted();
    files.push(await importProfile(text, options));
  }
  const active = await activeFiles(source);
  for (const kind of ['calibration', 'estimator'] as const) {
    const folder = join('storage', `${kind}s`);
    for (const device of await foldersIn(source, folder)) {
      for await (const text of textsIn(source, join(folder, device), yamlFile)) {
        options.signal.throwIfAborted();
        files.push(await importUnitFile(text, { kind, device, active }, options));
      }
    }
  }
  return files;
}

async function importProfile(found: SourceText, { profiles, texts, isDryRun }: FilesOptions): Promise<ReportedFile> {
  const { file } = found;
  if ('fault' in found) return skippedFile(file, 'profile', found.fault);
  const { text } = found;
  const parsed = await texts.read('profile', text);
  const messages = parsed.diagnostics.map(
    ({ line, column, severity, message }) => `${line}:${column} ${severity}: ${message}`,
  );
  if (parsed.is !== 'valid') return skippedFile(file, 'profile', ...messages);
  const base = file.slice(file.lastIndexOf('/') + 1).replace(yamlFile, '');
  for (let count = 0; ; count += 1) {
    const validation = validateProfileFileName(
      [`${base}.yaml`, `${base}-imported.yaml`][count] ?? `${base}-imported-${count}.yaml`,
    );
    if (!validation.ok) return skippedFile(file, 'profile', validation.cause);
    const target = validation.filename;
    const there = await profiles.find(target);
    if (there?.text === text) return { file, kind: 'profile', status: 'known', target, messages };
    if (there !== undefined) continue;
    if (!isDryRun) await profiles.create(target, text);
    return { file, kind: 'profile', status: 'imported', target, messages };
  }
}

/** Unit and name of a calibration or an estimator. @throws InvalidCalibrationFile */
async function ownerOf(kind: UnitFileKind, text: string, texts: TextReader) {
  if (kind === 'calibration') {
    const { calibrated_on_reactor_unit: unit, calibration_name: name } = await texts.read('calibration', text);
    return { unit, name };
  }
  const { calibrated_on_reactor_unit: unit, estimator_name: name } = await texts.read('estimator', text);
  return { unit, name };
}

/** Calibrations and estimators belong to the unit they were made on, which keeps them. */
async function importUnitFile(
  found: SourceText,
  { kind, device, active }: { readonly kind: UnitFileKind; readonly device: string; readonly active: ActiveFiles },
  { context, texts, isDryRun }: FilesOptions,
): Promise<ReportedFile> {
  const { file } = found;
  if ('fault' in found) return skippedFile(file, kind, found.fault);
  try {
    const { unit, name } = await ownerOf(kind, found.text, texts);
    if (context.units.statusOf(unit) === undefined)
      return skippedFile(file, kind, `Its unit ${unit} is not known here. Import again when it is.`);
    const target = `${unit}: ${device} ${name}`;
    const path = `/unit_api/${kind}s`;
    const { [unit]: there } = await context.fleet.read([unit], path);
    if (there?.ok !== true)
      return skippedFile(file, kind, `Its unit ${unit} does not answer. Import again when it does.`);
    const listed = isObject(there.value) ? there.value[device] : undefined;
    const known = (Array.isArray(listed) ? listed : []).filter((one) => isObject(one));
    if (known.some((one) => one[`${kind}_name`] === name))
      return { file, kind, status: 'known', target, messages: ['The unit has one of this name.'] };
    const wasActive = active[kind].get(device) === name;
    const isActive = wasActive && !known.some((one) => one.is_active === true);
    if (!isDryRun) {
      const devicePath = `${path}/${encodeURIComponent(device)}`;
      const body = { [`${kind}_data`]: found.text, set_as_active: isActive };
      await context.fleet.passOn(unit, { method: 'POST', path: devicePath, body, limitMs: unitLimitMs });
      context.fleet.forget([unit], [path]);
    }
    const other = wasActive ? 'It was active there; here the unit has another active one.' : 'It is not active.';
    return { file, kind, status: 'imported', target, messages: [isActive ? 'It is active, as there.' : other] };
  } catch (error) {
    if (error instanceof InvalidCalibrationFile) return skippedFile(file, kind, error.message);
    if (error instanceof PassedOnError || error instanceof ApiError)
      return skippedFile(file, kind, `${error.body.error} ${error.body.cause}`);
    throw error;
  }
}

/** More than our own keys of secrets: the configuration is of another program. */
const secretLike = /psk|pass|pwd|key|token|secret|hook|credential/i;

/** A value for the report: none of a setting that has no meaning here, none that may be a secret, no account in an address. */
function shown(key: string, text: string, isDeclared: boolean): string {
  if (text === '') return text;
  if (!isDeclared || isSecretKey(key) || secretLike.test(key)) return hiddenSecret;
  return text.replace(/(:\/\/)[^/@\s]*@/g, `$1${hiddenSecret}@`);
}

const ownValue = <Value>(of: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined =>
  of !== undefined && Object.hasOwn(of, key) ? of[key] : undefined;

/** The settings of the source beside those here; nothing is applied. */
export async function compareConfiguration(source: SourceFolder, here: IniView): Promise<ComparedSetting[]> {
  const compared: ComparedSetting[] = [];
  for await (const found of textsIn(source, '.', /^(unit_)?config[^/]*\.ini$/)) {
    if ('fault' in found || isTooLong(found.text)) continue;
    const { document } = parseIni(found.text);
    for (const [section, keys] of Object.entries(document.view()))
      for (const [key, value] of Object.entries(keys)) {
        const ours = ownValue(ownValue(here, section), key) ?? null;
        const isDeclared = declaredSetting(section, key) !== undefined;
        const hidden = (text: string) => shown(key, text, isDeclared);
        compared.push({
          file: found.file,
          section,
          key,
          value: hidden(value),
          value_here: ours === null ? null : hidden(ours),
          status: isDeclared ? (ours === value ? 'same' : 'differs') : 'no_meaning',
        });
      }
  }
  return compared;
}
