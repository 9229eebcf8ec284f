import { ConfigChange, ConfigSections } from '../resources/config.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { acknowledged, ok, plainText } from './answers.ts';

const tag = 'Configuration';

const save = {
  path: '/unit_api/config/specific',
  summary: "Replace this node's own configuration file",
  description: 'Only while it belongs to no leader: afterwards the leader manages the file.',
  tag,
  permission: 'config.write',
  body: ConfigChange,
  responses: acknowledged,
  errors: ['config_invalid', 'config_changed', 'config_kept_by_leader', 'config_unreadable'],
  cache: 'no-store',
  origin: 'extension',
} as const satisfies Partial<RouteDeclaration>;

/** The configuration of a node, read from the node itself. */
export const unitConfigRoutes = routes({
  getOwnMergedConfig: {
    method: 'GET',
    path: '/unit_api/config/merged',
    summary: 'Effective configuration of this node: the shared file, overridden key by key by its own',
    tag,
    permission: 'config.read',
    responses: ok(ConfigSections),
    errors: ['config_missing', 'config_unreadable'],
    cache: 'no-store',
    origin: 'extension',
  },
  getOwnSpecificConfig: {
    method: 'GET',
    path: '/unit_api/config/specific',
    summary: "This node's own configuration file",
    tag,
    permission: 'config.read',
    responses: plainText,
    errors: ['config_unreadable'],
    cache: 'no-store',
    origin: 'extension',
  },
  saveOwnSpecificConfig: { ...save, method: 'PATCH' },
  saveOwnSpecificConfigByPost: { ...save, method: 'POST' },
});
