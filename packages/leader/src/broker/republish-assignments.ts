import { assignmentMessage } from '../api/assignments/assignment-message.ts';
import { assignmentsOfAll } from '../api/assignments/assignment-store.ts';
import type { LeaderContext, MqttPublisher } from '../leader-context.ts';

/**
 * Publishes the retained assignment of every worker again. The embedded broker forgets what it retained when it ends; an
 * external one may have missed changes.
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
