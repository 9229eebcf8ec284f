import type { configRoutes, Handlers, unitConfigRoutes } from '@lcs/contract';
import { effectiveConfig, type IniView, parseIni, type Service } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { configHandlers, fileAnswer, saveTermsOf } from './config-handlers.ts';
import { MergedConfigsReader, mergedConfigPath } from './merged-configs.ts';
import { OwnConfigs } from './own-configs.ts';
import type { SharedConfig } from './shared-config.ts';
import { expectVolumesInVial, type VialModels } from './vial-limits.ts';

/** The configuration feature of a leader, with the shared file that other features need, too. */
export interface ConfigFeature {
  readonly handlers: Handlers<typeof configRoutes>;
  /** The routes of the leader's own node for its configuration. */
  readonly nodeHandlers: Handlers<typeof unitConfigRoutes>;
  readonly parts: readonly Service[];
  /** The configuration of a unit by the files on the leader, which the unit may not have applied yet. @throws ApiError config_unreadable */
  readonly effective: (unit: string) => Promise<IniView>;
  /** A unit has applied another document: its cached answers are invalid. */
  readonly unitChanged: (unit: string) => void;
}

/** Creates the feature. */
export function createConfig(context: LeaderContext, shared: SharedConfig, models: VialModels): ConfigFeature {
  const own = new OwnConfigs(context, shared);
  const merged = new MergedConfigsReader(context, shared, own);
  const { leader } = context;
  const save: Handlers<typeof unitConfigRoutes>['saveOwnSpecificConfig'] = async ({ body, ...request }) => {
    await expectVolumesInVial(context, models, { code: body.code, unit: leader });
    await own.save(leader, body.code, saveTermsOf(body, request));
    return { status: 200, body: { status: 'success' } };
  };
  return {
    handlers: configHandlers(context, { shared, own, merged, models }),
    nodeHandlers: {
      getOwnMergedConfig: async () => ({ status: 200, body: await merged.ofLeader() }),
      getOwnSpecificConfig: async () => fileAnswer(await own.text(leader)),
      saveOwnSpecificConfig: save,
      saveOwnSpecificConfigByPost: save,
    },
    parts: [own],
    effective: async (unit) =>
      effectiveConfig(parseIni(shared.usableText()).document, parseIni((await own.find(unit)) ?? '').document),
    unitChanged: (unit) => context.fleet.forget([unit], [mergedConfigPath]),
  };
}
