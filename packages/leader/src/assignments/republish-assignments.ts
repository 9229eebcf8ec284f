import type { LeaderContext, MqttPublisher } from '../core/leader-context.ts';
import { assignmentsOfAll } from '../queries/assignments.ts';
import { assignmentMessage } from './assignment-message.ts';

/**
 * Publishes the retained assignment of every worker. The embedded broker loses its retained messages when it ends; an external one may
 * have missed changes.
 */
export async function republishAssignments(
  { database, clock }: Pick<LeaderContext, 'database' | 'clock'>,
  mqtt: MqttPublisher,
): Promise<void> {
  const now = clock.now();
  for (const { reactor_unit, experiment, assigned_at } of await assignmentsOfAll(database.read).execute()) {
    const { topic, payload } = assignmentMessage(reactor_unit, experiment, assigned_at, now);
    mqtt.publish(topic, payload, { retain: true });
  }
}
