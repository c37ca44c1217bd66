#import <UserNotifications/UserNotifications.h>

typedef void (^PushHandler)(NSDictionary *info);

@interface Panel ()
@property (nonatomic, copy) PushHandler handler;
@property (nonatomic, copy) void (^other)(NSDictionary *info);
@property (nonatomic, copy) PushHandler nobody;
@end

@implementation Panel
- (void)viewDidLoad {
    self.handler = ^(NSDictionary *info) { NSLog(@"%@", info[@"handler"]); };
    self.other = ^(NSDictionary *info) { NSLog(@"%@", info[@"other"]); };
}

- (void)didReceiveNotification:(UNNotification *)notification {
    NSDictionary *userInfo = notification.request.content.userInfo;
    self.handler(userInfo);
    self.other(userInfo);
    self.nobody(userInfo);
}
@end
