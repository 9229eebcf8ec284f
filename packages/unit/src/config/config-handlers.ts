import { ApiError, type Handlers, type unitConfigRoutes } from '@lcs/contract';
import { baseVersions, normaliseConfigText, validateOwnConfig } from '@lcs/node';
import { effectiveConfig, parseIni, withHiddenSecrets, withKeptSecrets, withoutSecrets } from '@lcs/platform';
import { sha256Of, type UnitConfig } from './unit-config.ts';

export interface UnitConfigHandlersOptions {
  readonly unit: string;
  readonly config: Pick<UnitConfig, 'replace' | 'text'>;
  /** Name of the leader whose document this unit has; undefined: none. */
  readonly memberOf: () => string | undefined;
}

type Routes = Handlers<typeof unitConfigRoutes>;

/** The configuration of a unit, as it has it on its disk. */
export function unitConfigHandlers({ unit, config, memberOf }: UnitConfigHandlersOptions): Routes {
  const save: Routes['saveOwnSpecificConfig'] = async ({ body, headers }) => {
    const leader = memberOf();
    if (leader !== undefined) throw new ApiError('config_kept_by_leader', { unit, leader });
    const text = withKeptSecrets(normaliseConfigText(body.code), config.text('own'));
    validateOwnConfig(text, undefined);
    const base = baseVersions(body, headers);
    if (base !== undefined && !base.includes(sha256Of(withHiddenSecrets(config.text('own'))))) {
      throw new ApiError('config_changed', { filename: 'unit_config.ini', changed: 'on this unit' });
    }
    await config.replace('own', text);
    return { status: 200, body: { status: 'success' } };
  };
  return {
    getOwnMergedConfig: () => {
      const shared = config.text('shared');
      if (shared.trim() === '') throw new ApiError('config_missing', {});
      const effective = effectiveConfig(parseIni(shared).document, parseIni(config.text('own')).document);
      return { status: 200, body: { ...withoutSecrets(effective) } };
    },
    getOwnSpecificConfig: () => {
      const text = withHiddenSecrets(config.text('own'));
      return { status: 200, body: text, headers: { etag: `"${sha256Of(text)}"` } };
    },
    saveOwnSpecificConfig: save,
    saveOwnSpecificConfigByPost: save,
  };
}
