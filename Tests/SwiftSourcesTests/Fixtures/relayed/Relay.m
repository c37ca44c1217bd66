@implementation Relay
- (void)didReceiveNotification:(UNNotification *)notification {
  NSDictionary *userInfo = notification.request.content.userInfo;
  [self performSelector:self.chosen withObject:userInfo];
  [self performSelectorOnMainThread:@selector(show:) withObject:userInfo[@"title"] waitUntilDone:NO];
}
@end
