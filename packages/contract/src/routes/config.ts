import { Type } from 'typebox';
import { ConfigChange, ConfigHistoryEntry, ConfigSaved } from '../resources/config.ts';
import { routes } from '../route.ts';
import { ok, plainText } from './answers.ts';

const tag = 'Configuration';

export const configRoutes = routes({
  getSharedConfig: {
    method: 'GET',
    path: '/api/config/shared',
    summary: 'The shared configuration file',
    tag,
    permission: 'config.read',
    responses: plainText,
    errors: ['config_unreadable'],
    cache: 10,
    origin: 'specification',
  },
  saveSharedConfig: {
    method: 'PATCH',
    path: '/api/config/shared',
    summary: 'Replace the shared configuration file',
    description:
      'The text is checked, written and kept in the history; units get it as soon as they can. Running jobs keep their old values until they are started again.',
    tag,
    permission: 'config.write',
    body: ConfigChange,
    responses: ok(ConfigSaved),
    errors: ['config_invalid', 'config_unreadable'],
    cache: 'no-store',
    origin: 'specification',
  },
  listSharedConfigHistory: {
    method: 'GET',
    path: '/api/config/shared/history',
    summary: 'Earlier versions of the shared configuration file, newest first',
    tag,
    permission: 'config.read',
    responses: ok(Type.Array(ConfigHistoryEntry)),
    errors: [],
    cache: 0,
    origin: 'specification',
  },
});
