import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import {
  ApiError,
  type ConfigSections,
  type FailedUnitOutcome,
  type MergedConfigs,
  type UnitOutcome,
} from '@lcs/contract';
import { effectiveConfig, parseIni, withoutSecrets } from '@lcs/platform';
import { Type } from 'typebox';
import type { LeaderContext } from '../core/leader-context.ts';
import { failed, valueIn } from '../fleet/outcome.ts';
import { addressedUnits, broadcast, expectKnown, type Surface } from '../queries/addressed-units.ts';
import type { OwnConfigs } from './own-configs.ts';
import type { SharedConfig } from './shared-config.ts';

/** Each unit's answer about its configuration, kept for 10 s. */
export const mergedConfigPath = '/unit_api/config/merged';

/** Time limit for the second request to a unit that refused: it has just answered. */
const refusalMs = 3_000;

/** A configuration as units send it: a key without value may be null. */
const SentSections = Type.Record(Type.String(), Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()])));

/** The configuration that a unit has sent, without passwords; undefined: it sent none. */
function sectionsIn(outcome: UnitOutcome): ConfigSections | undefined {
  const sent = valueIn(outcome, SentSections);
  if (sent === undefined) return undefined;
  const texts = Object.entries(sent).map(([section, values]) => {
    const entries = Object.entries(values).map(([key, text]) => [key, text ?? ''] as const);
    return [section, Object.fromEntries(entries)] as const;
  });
  return { ...withoutSecrets(Object.fromEntries(texts)) };
}

type Needs = Pick<LeaderContext, 'leader' | 'database' | 'fleet'>;

/** The active configuration of units, as they report it. The leader's part is made from its files. */
export class MergedConfigsReader {
  readonly #context: Needs;
  readonly #shared: Pick<SharedConfig, 'usableText'>;
  readonly #own: Pick<OwnConfigs, 'text'>;

  constructor(context: Needs, shared: Pick<SharedConfig, 'usableText'>, own: Pick<OwnConfigs, 'text'>) {
    this.#context = context;
    this.#shared = shared;
    this.#own = own;
  }

  /**
   * @param limitedTo of `$broadcast`, only these units
   * @throws ApiError unit_unknown; of a single unit unit_gave_no_answer, config_unreadable (the leader), or
   * PassedOnError with the error of a unit that refuses
   */
  async read(surface: Surface, unit: string, limitedTo?: readonly string[]): Promise<MergedConfigs> {
    const outcomes = await this.#ask(await this.#units(surface, unit, limitedTo));
    const configs = new Map<string, ConfigSections>();
    const errors = new Map<string, FailedUnitOutcome>();
    for (const outcome of outcomes) {
      // A long one takes some milliseconds.
      await turnOfEventLoop();
      const sections = sectionsIn(outcome);
      if (sections !== undefined) configs.set(outcome.unit, sections);
      else errors.set(outcome.unit, outcome.ok ? strange(outcome.unit) : outcome);
    }
    const failure = errors.get(unit);
    if (failure) await this.#expectRefusal(failure);
    if (failure) throw new ApiError('unit_gave_no_answer', { unit, cause: failure.error.message });
    return { configs: Object.fromEntries(configs), errors: Object.fromEntries(errors) };
  }

  /** The leader's own, from its files. @throws ApiError config_unreadable */
  async ofLeader(): Promise<ConfigSections> {
    const own = parseIni(await this.#own.text(this.#context.leader));
    const [fault] = own.diagnostics;
    if (fault) {
      throw new ApiError('config_unreadable', {
        path: 'unit_config.ini',
        cause: `line ${fault.line}: ${fault.message.replace(/\.$/, '')}`,
      });
    }
    return { ...withoutSecrets(effectiveConfig(parseIni(this.#shared.usableText()).document, own.document)) };
  }

  /** A unit that refuses returns the reason itself. @throws PassedOnError, ApiError config_unreadable (the leader), unit_gave_no_answer */
  async #expectRefusal({ unit, error }: FailedUnitOutcome): Promise<void> {
    const { fleet, leader } = this.#context;
    if (error.kind !== 'http_error') return;
    if (unit === leader) await this.ofLeader();
    else await fleet.passOn(unit, { method: 'GET', path: mergedConfigPath, limitMs: refusalMs });
  }

  async #units(surface: Surface, unit: string, limitedTo: readonly string[] = []): Promise<readonly string[]> {
    const all = await addressedUnits(this.#context, surface, unit);
    if (unit !== broadcast || limitedTo.length === 0) return all;
    for (const each of limitedTo) await expectKnown(this.#context, each);
    return all.filter((each) => limitedTo.includes(each));
  }

  async #ask(units: readonly string[]): Promise<readonly UnitOutcome[]> {
    const { fleet, leader } = this.#context;
    const others = units.filter((unit) => unit !== leader);
    const [asked, own] = await Promise.all([
      fleet.read(others, mergedConfigPath, { isCached: true }),
      units.includes(leader) ? [await this.#leaderOutcome()] : [],
    ]);
    return [...Object.values(asked), ...own].sort((a, b) => (a.unit < b.unit ? -1 : 1));
  }

  async #leaderOutcome(): Promise<UnitOutcome> {
    const { leader } = this.#context;
    try {
      return { ok: true, unit: leader, value: await this.ofLeader() };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { error: message, cause, remediation, status } = error.body;
      return failed(leader, 'http_error', { message: `${message} ${cause}`, cause, remediation }, status, false);
    }
  }
}

const strange = (unit: string): FailedUnitOutcome =>
  failed(unit, 'invalid_response', { message: `The answer of ${unit} is no configuration.` }, 200, false);
