import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';

/** A plugin as a node lists it. */
export const InstalledPlugin = closed(
  {
    name: Type.String(),
    version: Type.String({ description: '"Unknown" when the plugin does not declare it' }),
    description: Nullable(Type.String()),
    homepage: Nullable(Type.String({ description: 'Of a single file without one: where this node shows the file' })),
    source: Type.String({ description: '"package", or "plugins/<file>"' }),
    author: Type.String({ description: '"Unknown" when the plugin does not declare it' }),
    error: Type.Optional(Type.String({ description: 'Why it cannot be used; absent when it can' })),
  },
  { title: 'InstalledPlugin' },
);
export type InstalledPlugin = Static<typeof InstalledPlugin>;

const Schema = Nullable(Type.Object({}, { additionalProperties: true, description: 'JSON Schema' }));

/** What one plugin adds to a node. */
export const PluginDetails = closed(
  {
    ...InstalledPlugin.properties,
    leader_only: Type.Boolean(),
    jobs: Type.Array(Type.String()),
    automations: Type.Array(closed({ job: Type.String(), automation_name: Type.String() })),
    descriptors: Type.Integer({ description: 'How many', minimum: 0 }),
    datasets: Type.Integer({ description: 'How many', minimum: 0 }),
    routes: Type.Array(
      closed({
        method: Type.Union([Type.Literal('GET'), Type.Literal('POST')]),
        path: Type.String({ description: 'On this node' }),
        summary: Type.String(),
        query: Schema,
        body: Schema,
        response: Schema,
      }),
    ),
  },
  { title: 'PluginDetails' },
);
export type PluginDetails = Static<typeof PluginDetails>;

/** Which plugin, and where it comes from. Further keys are ignored. */
export const ChangePlugin = Type.Object(
  {
    args: Type.Optional(Type.Array(Type.String({ maxLength: textLimit }), { description: 'The name of the plugin' })),
    options: Type.Optional(
      Type.Object(
        {
          source: Type.Optional(
            Nullable(
              Type.String({
                maxLength: textLimit,
                description:
                  'upload_id of an uploaded file, or the path of a file on a USB drive that this node has mounted. Absent: the registry',
              }),
            ),
          ),
          version: Type.Optional(
            Nullable(Type.String({ maxLength: textLimit, description: 'From the registry. Default: the newest' })),
          ),
        },
        { additionalProperties: true },
      ),
    ),
    env: Type.Optional(Type.Unknown({ description: 'Ignored' })),
  },
  { title: 'ChangePlugin', additionalProperties: true },
);
export type ChangePlugin = Static<typeof ChangePlugin>;

/** A file on a USB drive. */
export const PluginOnUsb = closed(
  { filepath: Type.String({ maxLength: textLimit, minLength: 1 }) },
  { title: 'PluginOnUsb' },
);

/** A plugin that the index offers. */
export const AvailablePlugin = closed(
  {
    name: Type.String({ description: 'The name of its package' }),
    version: Type.String({ description: 'The newest' }),
    description: Nullable(Type.String()),
    author: Nullable(Type.String({ description: 'As the package names it, or who published it' })),
    homepage: Nullable(Type.String({ description: 'http or https' })),
    published_at: Nullable(Timestamp),
  },
  { title: 'AvailablePlugin' },
);
export type AvailablePlugin = Static<typeof AvailablePlugin>;

/** The index of plugins as the leader last read it. */
export const AvailablePlugins = closed(
  {
    source: Nullable(Type.String({ description: 'Host of the index; null: switched off' })),
    checked_at: Nullable(Timestamp, { description: 'When this list was read; null: never since the start' }),
    problem: Nullable(Type.String({ description: 'Why it could not be read now; the list is then the previous one' })),
    install_problem: Nullable(Type.String({ description: 'Why the leader refuses installations' })),
    plugins: Type.Array(AvailablePlugin, { description: 'In the order of the index' }),
  },
  { title: 'AvailablePlugins' },
);
export type AvailablePlugins = Static<typeof AvailablePlugins>;
