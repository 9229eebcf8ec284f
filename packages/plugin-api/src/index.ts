export type { Json } from '@lcs/contract';
export type { JobOptionDeclaration, JobOptions, JobSettingDeclaration, JobSettings } from '@lcs/domain';
export { type Descriptor, definePlugin, type Plugin, type PluginAutomation, type PluginManifest } from './plugin.ts';
export type {
  OpticalPhase,
  OutputLease,
  PluginClock,
  PluginConfig,
  PluginJob,
  PluginJobContext,
  PluginLogLevel,
  PluginReading,
  RunningPluginJob,
} from './plugin-job.ts';
export type {
  JsonSchema,
  PluginRoute,
  PluginRouteAnswer,
  PluginRouteContext,
  PluginRouteRequest,
} from './plugin-route.ts';
export { SettingRefused } from './setting-refused.ts';
