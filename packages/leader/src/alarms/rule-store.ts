import { type AlarmRule, type AlarmRuleChange, type AlarmRuleReset, ApiError } from '@lcs/contract';
import {
  type AlarmRuleDefinition,
  builtInAlarmRules,
  invalidParameters,
  isBuiltInSource,
  type ModelVolumes,
  type ParameterValue,
  type RuleOverride,
  type RuleSettings,
  resolveRuleSettings,
} from '@lcs/domain';
import { actingAccount, type Service, toTimestamp } from '@lcs/platform';
import type { LeaderContext, LeaderTransaction } from '../core/leader-context.ts';
import type { ModelCatalog } from '../models/model-catalog.ts';
import { expectKnown } from '../queries/addressed-units.ts';
import { experimentKey, type LeaderReader } from '../queries/experiments.ts';
import { workerNamed } from '../queries/workers.ts';
import type { AlarmFacts } from './alarm-facts.ts';
import { type AlarmSubject, severityOf } from './alarm-store.ts';

interface Needs extends Pick<LeaderContext, 'change' | 'clock' | 'database' | 'leader'> {
  readonly models: Pick<ModelCatalog, 'find'>;
  readonly facts: Pick<AlarmFacts, 'sources'>;
}

interface StoredOverride extends RuleOverride {
  readonly rule: string;
  readonly unit: string | null;
  readonly experiment: string | null;
  readonly changedAt: number;
  readonly changedBy: string | null;
}

async function storedOverrides(database: LeaderReader): Promise<readonly StoredOverride[]> {
  const rows = await database
    .selectFrom('alarm_rule_overrides as o')
    .leftJoin('experiments as e', 'e.id', 'o.experiment_id')
    .where((where) => where.or([where('o.experiment_id', 'is', null), where('e.deleting_at', 'is', null)]))
    .selectAll('o')
    .select('e.name as experiment')
    .orderBy('o.id')
    .execute();
  return rows.map((row) => {
    // Written only by this program, after validation.
    const parameters: Readonly<Record<string, ParameterValue>> = JSON.parse(row.parameters);
    return {
      rule: row.rule,
      unit: row.reactor_unit,
      experiment: row.experiment,
      parameters,
      ...(row.severity !== null && { severity: severityOf(row.severity) }),
      ...(row.is_enabled !== null && { isEnabled: row.is_enabled === 1 }),
      changedAt: row.changed_at,
      changedBy: row.changed_by,
    };
  });
}

/** The unit or experiment that an override applies to. */
interface OverrideScope {
  readonly reactor_unit?: string | undefined;
  readonly experiment?: string | undefined;
}

/** The overrides of alarm rules, on disk and in memory. */
export class RuleStore implements Service {
  readonly name = 'rules of alarms';
  readonly #needs: Needs;
  #overrides: readonly StoredOverride[] = [];
  #versions = new Map<string, number>();
  #forAll = new Map<string, RuleSettings>();

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  start(): Promise<void> {
    return this.#load();
  }

  async stop(): Promise<void> {}

  /** The settings of a rule for a subject; `model`: the model of its unit, when known. */
  settings(rule: AlarmRuleDefinition, { unit, experiment }: AlarmSubject, model?: ModelVolumes): RuleSettings {
    const overrides = this.#overrides.filter((one) => one.rule === rule.rule);
    const isPlain = rule.modelDefaults === undefined && overrides.every((one) => (one.unit ?? one.experiment) === null);
    if (isPlain) return this.#forAll.get(rule.rule) ?? resolveRuleSettings(rule, []);
    const ofAll = overrides.filter((one) => isAt(one, rule.rule, {}));
    const ofExperiment = overrides.filter((one) => one.experiment !== null && one.experiment === experiment);
    const ofUnit = overrides.filter((one) => one.unit !== null && one.unit === unit);
    return resolveRuleSettings(rule, [...ofAll, ...ofExperiment, ...ofUnit], model);
  }

  /** All rules as the API returns them. */
  list(): AlarmRule[] {
    return builtInAlarmRules.map((rule) => this.#toAlarmRule(rule));
  }

  /** @throws ApiError alarm_rule_not_found, alarm_rule_invalid, alarm_rule_changed, nothing_to_change, … */
  async update(name: string, change: AlarmRuleChange, basedOn: number | undefined): Promise<AlarmRule> {
    const rule = ruleNamed(name);
    const { severity, is_enabled: isEnabled, parameters = {}, author } = change;
    if (severity === undefined && isEnabled === undefined && Object.keys(parameters).length === 0) {
      throw new ApiError('nothing_to_change', { fields: 'severity, is_enabled, parameters' });
    }
    await this.#validateScope(rule, change);
    const model = await this.#modelOf(change.reactor_unit);
    await this.#write(rule, change, basedOn, async (transaction, experimentId) => {
      const before = (await storedOverrides(transaction)).find((one) => isAt(one, name, change));
      const override: RuleOverride = {
        severity: severity ?? before?.severity,
        isEnabled: isEnabled ?? before?.isEnabled,
        parameters: { ...before?.parameters, ...parameters },
      };
      const ofAll = this.#overrides.filter((one) => isAt(one, name, {}));
      checkParameters(rule, parameters, resolveRuleSettings(rule, [...ofAll, override], model));
      await removeAt(transaction, name, change.reactor_unit, experimentId);
      await transaction
        .insertInto('alarm_rule_overrides')
        .values({
          rule: name,
          reactor_unit: change.reactor_unit ?? null,
          experiment_id: experimentId,
          severity: override.severity ?? null,
          is_enabled: override.isEnabled === undefined ? null : Number(override.isEnabled),
          parameters: JSON.stringify(override.parameters),
          changed_at: Math.floor(this.#needs.clock.now()),
          changed_by: author?.trim() || null,
        })
        .execute();
    });
    return this.#toAlarmRule(rule);
  }

  /** @throws ApiError alarm_rule_not_found, alarm_rule_invalid, alarm_rule_changed, … */
  async reset(name: string, reset: AlarmRuleReset, basedOn: number | undefined): Promise<AlarmRule> {
    const rule = ruleNamed(name);
    await this.#validateScope(rule, reset);
    await this.#write(rule, reset, basedOn, async (transaction, experimentId) => {
      const isWhole = reset.reactor_unit === undefined && reset.experiment === undefined;
      if (isWhole) await transaction.deleteFrom('alarm_rule_overrides').where('rule', '=', name).execute();
      else await removeAt(transaction, name, reset.reactor_unit, experimentId);
    });
    return this.#toAlarmRule(rule);
  }

  async #modelOf(unit: string | undefined): Promise<ModelVolumes | undefined> {
    if (unit === undefined) return undefined;
    const { database, models } = this.#needs;
    const worker = await workerNamed(database.read, unit).executeTakeFirst();
    if (!worker?.model_name || !worker.model_version) return undefined;
    return models.find(worker.model_name, worker.model_version);
  }

  async #validateScope(
    { scope, title }: AlarmRuleDefinition,
    { reactor_unit, experiment }: OverrideScope,
  ): Promise<void> {
    const invalid = (cause: string) => new ApiError('alarm_rule_invalid', { cause });
    if (reactor_unit !== undefined && experiment !== undefined)
      throw invalid('An override applies to a unit or to an experiment, not to both.');
    if (reactor_unit !== undefined && scope === 'cluster') throw invalid(`${title} is about the cluster, not a unit.`);
    if (experiment !== undefined && scope !== 'experiment') throw invalid(`${title} is not about experiments.`);
    // The store, not the registry in memory, which follows a registration with a delay.
    if (reactor_unit !== undefined) await expectKnown(this.#needs, reactor_unit);
  }

  async #write(
    { rule }: AlarmRuleDefinition,
    { experiment, author }: OverrideScope & Pick<AlarmRuleChange, 'author'>,
    basedOn: number | undefined,
    work: (transaction: LeaderTransaction, experimentId: number | null) => Promise<void>,
  ): Promise<void> {
    await this.#needs.change(async (transaction, effects) => {
      const row = await transaction
        .selectFrom('alarm_rule_versions')
        .where('rule', '=', rule)
        .select('version')
        .executeTakeFirst();
      const version = row?.version ?? 0;
      if (basedOn !== undefined && basedOn !== version) throw new ApiError('alarm_rule_changed', { rule, version });
      const key = experiment === undefined ? null : await experimentKey(transaction, experiment).executeTakeFirst();
      if (key === undefined) throw new ApiError('experiment_not_found', { experiment: experiment ?? '' });
      await work(transaction, key?.id ?? null);
      await transaction
        .insertInto('alarm_rule_versions')
        .values({ rule, version: version + 1 })
        .onConflict((conflict) => conflict.column('rule').doUpdateSet({ version: version + 1 }))
        .execute();
      // An account is named anyway.
      const by = author?.trim() && actingAccount() === null ? ` by ${author.trim()}` : '';
      await effects.logEvent({ level: 'INFO', message: `Alarm rule ${rule} changed${by}.`, task: 'alarm_rule' });
    });
    await this.#load();
  }

  async #load(): Promise<void> {
    const { read } = this.#needs.database;
    this.#overrides = await storedOverrides(read);
    const versions = await read.selectFrom('alarm_rule_versions').selectAll().execute();
    this.#versions = new Map(versions.map(({ rule, version }) => [rule, version]));
    this.#forAll = new Map(
      builtInAlarmRules.map((rule) => [
        rule.rule,
        resolveRuleSettings(
          rule,
          this.#overrides.filter((one) => isAt(one, rule.rule, {})),
        ),
      ]),
    );
  }

  /** The sources of plugins that units have recorded, where a rule allows them. */
  #pluginSources({ allowsPluginSources }: { readonly allowsPluginSources?: true }): readonly string[] {
    if (!allowsPluginSources) return [];
    return this.#needs.facts
      .sources()
      .filter((source) => !isBuiltInSource(source))
      .sort();
  }

  #toAlarmRule(rule: AlarmRuleDefinition): AlarmRule {
    const { rule: name, title, description, scope } = rule;
    const { severity, isEnabled, parameters } = this.#forAll.get(name) ?? resolveRuleSettings(rule, []);
    const overrides = this.#overrides.filter((one) => one.rule === name);
    return {
      rule: name,
      title,
      description,
      scope,
      severity,
      is_enabled: isEnabled,
      parameters: rule.parameters.map((parameter) => ({
        name: parameter.name,
        label: parameter.label,
        type: parameter.type,
        default: parameter.default,
        unit: parameter.type === 'number' ? parameter.unit : '',
        minimum: parameter.type === 'number' ? parameter.minimum : null,
        maximum: parameter.type === 'number' ? parameter.maximum : null,
        may_be_none: parameter.type === 'number' && parameter.nullable === true,
        choices: parameter.type === 'choice' ? [...parameter.choices, ...this.#pluginSources(parameter)] : null,
        value: parameters[parameter.name] ?? null,
      })),
      is_default: overrides.length === 0,
      version: this.#versions.get(name) ?? 0,
      overrides: overrides
        .filter((one) => (one.unit ?? one.experiment) !== null)
        .map((one) => ({
          reactor_unit: one.unit,
          experiment: one.experiment,
          parameters: { ...one.parameters },
          severity: one.severity ?? null,
          is_enabled: one.isEnabled ?? null,
          changed_at: toTimestamp(one.changedAt),
          changed_by: one.changedBy,
        })),
    };
  }
}

/** @throws ApiError alarm_rule_not_found, also for the drill, which has no settings */
function ruleNamed(name: string): AlarmRuleDefinition {
  const rule = builtInAlarmRules.find((known) => known.rule === name);
  if (rule === undefined) throw new ApiError('alarm_rule_not_found', { rule: name });
  return rule;
}

const isAt = (one: StoredOverride, rule: string, { reactor_unit, experiment }: OverrideScope): boolean =>
  one.rule === rule && one.unit === (reactor_unit ?? null) && one.experiment === (experiment ?? null);

async function removeAt(
  transaction: LeaderTransaction,
  rule: string,
  unit: string | undefined,
  experiment: number | null,
) {
  await transaction
    .deleteFrom('alarm_rule_overrides')
    .where('rule', '=', rule)
    .where('reactor_unit', 'is', unit ?? null)
    .where('experiment_id', 'is', experiment)
    .execute();
}

/** @throws ApiError alarm_rule_invalid, each fault with its parameter */
function checkParameters(
  rule: AlarmRuleDefinition,
  sent: Readonly<Record<string, ParameterValue>>,
  settings: RuleSettings,
): void {
  const faults = invalidParameters(rule, sent, settings);
  const [first] = faults;
  if (first !== undefined)
    throw new ApiError('alarm_rule_invalid', { cause: first.message, parameter: first.parameter }, faults);
}
