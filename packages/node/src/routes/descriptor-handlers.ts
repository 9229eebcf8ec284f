import { ApiError, type Handlers, type nodeDescriptorRoutes } from '@lcs/contract';
import { type AutomationType, isAutomationType } from '@lcs/domain';
import type { NodeDescriptors } from '../descriptors/node-descriptors.ts';

/** The type of automation in a path. @throws ApiError automation_type_unknown */
export function automationTypeIn(text: string): AutomationType {
  if (!isAutomationType(text)) throw new ApiError('automation_type_unknown', { type: text });
  return text;
}

/** The descriptors of a node, its own files included. */
export const descriptorHandlers = (descriptors: NodeDescriptors): Handlers<typeof nodeDescriptorRoutes> => ({
  listNodeJobDescriptors: async () => ({ status: 200, body: await descriptors.jobs() }),
  listNodeSettingsDescriptors: async () => ({ status: 200, body: await descriptors.settings() }),
  listNodeAutomationDescriptors: async ({ params }) => ({
    status: 200,
    body: await descriptors.automations(automationTypeIn(params.automation_type)),
  }),
});
