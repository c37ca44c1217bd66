#import <UserNotifications/UserNotifications.h>

@implementation Content
- (void)didReceiveNotification:(UNNotification *)notification {
  NSDictionary *info = notification.request.content.userInfo;
  self.label.text = info.ac_opponent;
  NSLog(@"%lu", (unsigned long)info.count);
  [self drawAll:info];
  [self.delegate content:self didShow:info];
}
@end

@implementation Listener
- (void)content:(id)content didShow:(NSDictionary *)info {}
@end
