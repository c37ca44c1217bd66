#import <UserNotifications/UserNotifications.h>
#import <VendorPush/VendorPush.h>

@interface Service : VendorService
@property(nonatomic) VendorTracker *tracker;
@end

@implementation Service
- (void)didReceiveNotificationRequest:(UNNotificationRequest *)request withContentHandler:(void (^)(UNNotificationContent *))handler {
  NSDictionary *info = request.content.userInfo;
  NSString *image = info[@"image"];
  [[Vendor shared] handle:info];
  [self.tracker track:info named:image];
  VendorRecord(info);
  NSLog(@"%@", info);
  DDLogInfo(@"%@", info);
  [[NSUserDefaults standardUserDefaults] setObject:info forKey:@"last"];
  [NSJSONSerialization isValidJSONObject:info];
  [super didReceiveNotificationRequest:request withContentHandler:handler];
}
@end
