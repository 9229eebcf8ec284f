import { type Json, leaderApi } from '@lcs/contract';
import type { LeaderCalls } from './leader-calls.ts';

/** Data that a model can read, by its address. */
export interface McpResource {
  /** With `{name}` for each parameter. */
  readonly address: string;
  readonly name: string;
  readonly description: string;
  read(chosen: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Json>;
}

export function leaderResources(calls: LeaderCalls): readonly McpResource[] {
  return [
    {
      address: 'reactor://experiments',
      name: 'Experiments',
      description: 'All experiments, newest first',
      read: (_, signal) => calls.call(leaderApi.listExperiments, {}, signal),
    },
    {
      address: 'reactor://experiments/{experiment}',
      name: 'Experiment',
      description: 'One experiment with its description and tags',
      read: ({ experiment = '' }, signal) => calls.call(leaderApi.getExperiment, { params: { experiment } }, signal),
    },
    {
      address: 'reactor://profiles/{file}',
      name: 'Profile',
      description: 'The text of an experiment profile, by the name of its file',
      read: ({ file = '' }, signal) =>
        calls.call(leaderApi.getExperimentProfile, { params: { filename: file } }, signal),
    },
    {
      address: 'reactor://datasets',
      name: 'Datasets',
      description: 'The data sets that can be exported or queried, with their columns',
      read: (_, signal) => calls.call(leaderApi.listExportableDatasets, {}, signal),
    },
    {
      address: 'reactor://units/{reactor_unit}/capabilities',
      name: 'Capabilities',
      description: 'Jobs and automations of a unit',
      read: ({ reactor_unit = '' }, signal) =>
        calls.call(leaderApi.getUnitCapabilities, { params: { reactor_unit } }, signal),
    },
  ];
}

/** The parameters in an address; undefined when the address is not of this resource. */
export function chosenBy(resource: McpResource, address: string): Readonly<Record<string, string>> | undefined {
  const names = [...resource.address.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const pattern = resource.address.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const match = new RegExp(`^${pattern.join('([^/]+)')}$`).exec(address);
  if (match === null) return undefined;
  try {
    return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')]));
  } catch {
    return undefined;
  }
}
