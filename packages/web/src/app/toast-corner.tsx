import { Notifications } from '@mantine/notifications';
import '@mantine/core/styles/Notification.css';
import '@mantine/notifications/styles.css';

/** Draws the notices. */
export default function ToastCorner() {
  return <Notifications position="bottom-right" limit={4} />;
}
