import { Notifications } from '@mantine/notifications';
import '@mantine/core/styles/Notification.css';
import '@mantine/notifications/styles.css';
import styles from './toast-corner.module.css';

/** Draws the notices. */
export default function ToastCorner() {
  return <Notifications position="bottom-left" limit={4} className={styles.corner ?? ''} />;
}
