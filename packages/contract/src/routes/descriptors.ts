import { Type } from 'typebox';
import { ChartDescriptor } from '../resources/chart.ts';
import { AutomationDescriptor, DescriptorProblem, JobDescriptor, SettingsDescriptor } from '../resources/descriptor.ts';
import { routes } from '../route.ts';
import { ok } from './answers.ts';

const tag = 'Descriptors';
const jobs = {
  method: 'GET',
  summary: 'Display descriptors of all jobs, in the order of the screen',
  tag,
  permission: 'jobs.read',
  responses: ok(Type.Array(JobDescriptor)),
  errors: [],
  cache: 5,
} as const;
const settings = {
  method: 'GET',
  summary: 'Display descriptors of the values of a unit that belong to no job',
  tag,
  permission: 'jobs.read',
  responses: ok(Type.Array(SettingsDescriptor)),
  errors: [],
  cache: 5,
} as const;
const automations = {
  method: 'GET',
  summary: 'The kinds of an automation, with the fields of their start forms',
  description: '`automation_type` is dosing, led or temperature.',
  tag,
  permission: 'jobs.read',
  responses: ok(Type.Array(AutomationDescriptor)),
  errors: ['automation_type_unknown'],
  cache: 5,
} as const;

/** Descriptors of the leader: its own declarations and the files of its plugins. */
export const descriptorRoutes = routes({
  listJobDescriptors: { ...jobs, path: '/api/jobs/descriptors', origin: 'specification' },
  listSettingsDescriptors: { ...settings, path: '/api/settings/descriptors', origin: 'specification' },
  listAutomationDescriptors: {
    ...automations,
    path: '/api/automations/descriptors/{automation_type}',
    origin: 'specification',
  },
  listDescriptorProblems: {
    method: 'GET',
    path: '/api/descriptors/problems',
    summary: 'Descriptor files that cannot be used, with the reason',
    description: 'They are left out of the lists. Files are read again when they change.',
    tag,
    permission: 'jobs.read',
    responses: ok(Type.Array(DescriptorProblem)),
    errors: [],
    cache: 'no-store',
    origin: 'extension',
  },
  listContributedJobs: { ...jobs, path: '/api/contrib/jobs', deprecated: true, origin: 'specification' },
  listContributedAutomations: {
    ...automations,
    path: '/api/contrib/automations/{automation_type}',
    deprecated: true,
    origin: 'specification',
  },
  listContributedCharts: {
    method: 'GET',
    path: '/api/contrib/charts',
    summary: 'All charts that can be shown, in the order of the screen',
    tag,
    permission: 'charts.read',
    responses: ok(Type.Array(ChartDescriptor)),
    errors: [],
    cache: 5,
    deprecated: true,
    origin: 'specification',
  },
  listJobDescriptorsOfWorker: {
    ...jobs,
    path: '/api/workers/{reactor_unit}/jobs/descriptors',
    summary: 'The same, of one worker',
    errors: ['unit_unknown', 'one_unit_only', 'unit_gave_no_answer'],
    cache: 'no-store',
    origin: 'extension',
  },
  listSettingsDescriptorsOfWorker: {
    ...settings,
    path: '/api/workers/{reactor_unit}/settings/descriptors',
    summary: 'The same, of one worker',
    errors: ['unit_unknown', 'one_unit_only', 'unit_gave_no_answer'],
    cache: 'no-store',
    origin: 'extension',
  },
  listAutomationDescriptorsOfWorker: {
    ...automations,
    path: '/api/workers/{reactor_unit}/automations/descriptors/{automation_type}',
    summary: 'The same, of one worker',
    errors: ['automation_type_unknown', 'unit_unknown', 'one_unit_only', 'unit_gave_no_answer'],
    cache: 'no-store',
    origin: 'extension',
  },
});

/** Descriptors of a node, with those of its own plugins. */
export const nodeDescriptorRoutes = routes({
  listNodeJobDescriptors: { ...jobs, path: '/unit_api/jobs/descriptors', origin: 'extension' },
  listNodeSettingsDescriptors: { ...settings, path: '/unit_api/settings/descriptors', origin: 'extension' },
  listNodeAutomationDescriptors: {
    ...automations,
    path: '/unit_api/automations/descriptors/{automation_type}',
    origin: 'extension',
  },
});
