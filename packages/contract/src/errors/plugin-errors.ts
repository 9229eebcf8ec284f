import { define } from './error-definition.ts';

/** Errors of plugins. */
export const pluginErrors = {
  plugin_changes_forbidden: define<{ cause: string; remediation: string }>(403, ({ cause, remediation }) => ({
    error: 'Plugins cannot be changed here.',
    cause,
    remediation,
  })),
  plugin_args_invalid: define<{ count: number }>(400, ({ count }) => ({
    error: 'Which plugin?',
    cause: `args: exactly one name is expected, got ${count}.`,
    remediation: 'Send {"args": ["name-of-the-plugin"]}.',
  })),
  plugin_name_invalid: define<{ name: string }>(400, ({ name }) => ({
    error: `'${name}' is not a valid plugin name.`,
    cause:
      'A name begins with a letter or digit and has letters, digits, dots, dashes and underscores; "@scope/" may precede it.',
    remediation: 'Use the name under which the plugin is published or listed.',
  })),
  plugin_version_invalid: define<{ version: string }>(400, ({ version }) => ({
    error: `'${version}' is not a valid plugin version.`,
    cause: 'A version has digits, letters, dots, dashes and plus signs, such as 1.2.0.',
    remediation: 'Leave options.version out for the newest one.',
  })),
  plugin_not_found: define<{ plugin: string }>(404, ({ plugin }) => ({
    error: `There is no plugin ${plugin} here.`,
    cause: `No plugin called ${plugin} is installed on this node.`,
    remediation: 'List /unit_api/plugins/installed and pick one of them.',
  })),
  plugin_file_not_found: define<{ file: string }>(404, ({ file }) => ({
    error: `There is no plugin file ${file}.`,
    cause: 'It is not in the folder of plugins, or its name does not end in .js or .ts.',
    remediation: 'List /unit_api/plugins/installed: sources such as plugins/my_plugin.js name the files.',
  })),
  plugin_source_unusable: define<{ source: string; cause: string }>(400, ({ source, cause }) => ({
    error: `Nothing can be installed from '${source}'.`,
    cause,
    remediation: 'Upload a .js, .ts or .tgz file and give its upload_id, or name such a file on a mounted USB drive.',
  })),
  plugin_not_installed: define<{ plugin: string; cause: string }>(422, ({ plugin, cause }) => ({
    error: `${plugin} was not installed.`,
    cause,
    remediation: 'Remove the cause, then install it again.',
  })),
  plugin_not_removed: define<{ plugin: string; cause: string }>(422, ({ plugin, cause }) => ({
    error: `${plugin} was not removed.`,
    cause,
    remediation: 'Remove the cause, then uninstall it again.',
  })),
  plugin_in_use: define<{ plugin: string; jobs: string }>(409, ({ plugin, jobs }) => ({
    error: `${plugin} is in use.`,
    cause: `Running: ${jobs}.`,
    remediation: 'Stop its jobs, then uninstall it.',
  })),
  plugins_unlistable: define<{ cause: string }>(500, ({ cause }) => ({
    error: 'The plugins cannot be listed.',
    cause,
    remediation: 'Check the folder plugins in the data folder of this node: it must be readable.',
  })),
  plugin_route_not_found: define<{ plugin: string; method: string; route: string }>(
    404,
    ({ plugin, method, route }) => ({
      error: `${plugin} has no route ${method} ${route}.`,
      cause: `The plugin ${plugin} declares no such route.`,
      remediation: `List its routes: /unit_api/plugins/${encodeURIComponent(plugin)}.`,
    }),
  ),
  plugin_request_invalid: define<{ plugin: string; cause: string }>(400, ({ plugin, cause }) => ({
    error: `The request does not match the route of ${plugin}.`,
    cause,
    remediation: 'Compare the request with the declaration of the route.',
  })),
  plugin_failed: define<{ plugin: string; cause: string }>(500, ({ plugin, cause }) => ({
    error: `The plugin ${plugin} failed.`,
    cause,
    remediation: 'Other functions are not affected. Contact the author of the plugin, or uninstall it.',
  })),
} as const;
