#import "X.h"
static NSString *const kA = @"a_key"; NSString * const kB = @"b_key";
#define KC @"c_key"
@interface Store : NSObject
@property (nonatomic, copy) NSDictionary *info;
- (instancetype)initWithInfo:(NSDictionary *)info;
@end
@implementation Store
- (instancetype)initWithInfo:(NSDictionary *)info { if (self = [super init]) { _info = info; } return self; }
- (NSString *)city { return self.info[@"city"]; }
- (NSString *)textForKey:(NSString *)key { return [self.info objectForKey:key]; }
@end
@implementation Panel
- (void)didReceiveNotification:(UNNotification *)notification {
  NSDictionary *userInfo = notification.request.content.userInfo;
  if (!userInfo[kA]) return;
  if (userInfo[kB] == nil) { NSLog(@"x"); return; }
  NSString *late = userInfo[KC];
  if (late == nil) { return; }
  NSString *n = [self titleFrom:userInfo];
  Store *s = [[Store alloc] initWithInfo:userInfo];
  NSString *c = s.city; NSString *t = [s textForKey:@"helper_key"];
  for (NSString *key in @[@"l1", @"l2"]) { NSLog(@"%@", userInfo[key]); }
  NSInteger count = [userInfo[@"count"] integerValue];
  double price = [[userInfo objectForKey:@"price"] doubleValue];
  id raw = userInfo[@"json"];
  NSData *data = [userInfo[@"js"] dataUsingEncoding:NSUTF8StringEncoding];
  NSDictionary *js = [NSJSONSerialization JSONObjectWithData:data options:0 error:nil];
  NSString *x = js[@"inner"];
  if ([userInfo[@"kind"] isEqualToString:@"sale"]) { }
  if ([raw isKindOfClass:[NSDictionary class]]) { }
  dispatch_async(dispatch_get_main_queue(), ^{ self.label.text = userInfo[@"in_block"]; });
  NSURL *url = [NSURL URLWithString:userInfo[@"url"]];
  NSArray *list = userInfo[@"list"]; for (NSDictionary *d in list) { NSLog(@"%@", d[@"id"]); }
  NSString *dyn = [NSString stringWithFormat:@"k_%d", arc4random()]; NSLog(@"%@", userInfo[dyn]);
  NSParameterAssert(userInfo[@"assert"]);
  [userInfo enumerateKeysAndObjectsUsingBlock:^(id k, id v, BOOL *stop) { }];
}
- (NSString *)titleFrom:(NSDictionary *)d { return d[@"title"] ?: d[@"alt"]; }
- (void)application:(UIApplication *)a didReceiveRemoteNotification:(NSDictionary *)userInfo fetchCompletionHandler:(void (^)(UIBackgroundFetchResult))h { NSString *s = userInfo[@"sync"]; }
- (BOOL)application:(UIApplication *)a didFinishLaunchingWithOptions:(NSDictionary *)launchOptions { NSDictionary *r = launchOptions[UIApplicationLaunchOptionsRemoteNotificationKey]; NSString *p = r[@"page"]; 
 UNNotificationAction *act = [UNNotificationAction actionWithIdentifier:@"ACT" title:@"t" options:UNNotificationActionOptionNone];
 UNNotificationCategory *cat = [UNNotificationCategory categoryWithIdentifier:@"CAT" actions:@[act] intentIdentifiers:@[] options:0];
 NSUserDefaults *d = [[NSUserDefaults alloc] initWithSuiteName:@"group.a.b"]; return YES; }
- (void)userNotificationCenter:(UNUserNotificationCenter *)center didReceiveNotificationResponse:(UNNotificationResponse *)response withCompletionHandler:(void (^)(void))completionHandler {
 if ([response.actionIdentifier isEqualToString:@"ACT2"]) {} 
 UNMutableNotificationContent *c = [[UNMutableNotificationContent alloc] init]; c.userInfo = @{@"w": @1}; }
@end
